"""NeMo-Gym: a resources server's `app.py`; its configuration says `judge: assay.verifiers:MathVerifier`.

With `--ask` it only asks itself, over HTTP in this process, and prints the reply.
"""

from __future__ import annotations

import sys

from assay.integrations.nemo_gym import AssayResourcesServer


def ask() -> None:
    from fastapi.testclient import TestClient
    from nemo_gym.server_utils import ServerClient

    config = AssayResourcesServer.model_fields["config"].annotation(
        host="127.0.0.1", port=0, entrypoint="app.py", name="assay", judge="assay.verifiers:MathVerifier"
    )
    server = AssayResourcesServer(config=config, server_client=ServerClient.model_construct())
    client = TestClient(server.setup_webserver())
    for text in (r"It is \boxed{18}.", "I do not know."):
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
        response = {
            "id": "r",
            "created_at": 0,
            "model": "policy",
            "object": "response",
            "output": [message],
            "parallel_tool_calls": False,
            "tool_choice": "none",
            "tools": [],
        }
        body = {"responses_create_params": {"input": "2 * 9?"}, "response": response, "expected_answer": "18"}
        reply = client.post("/verify", json=body).json()
        print(reply["reward"], reply["verdict"], reply["expected_answer"], reply["reason"])


if __name__ == "__main__":
    ask() if "--ask" in sys.argv else AssayResourcesServer.run_webserver()
