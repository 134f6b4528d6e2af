"""nemo-gym 0.4.0, nemo_gym/base_resources_server.py: models of requests and replies, and a server with /verify."""

from abc import ABC, abstractmethod
from typing import Any

from fastapi import FastAPI
from nemo_gym.server_utils import ServerClient
from pydantic import BaseModel


class BaseResourcesServerConfig(BaseModel):
    host: str
    port: int
    entrypoint: str
    name: str


class BaseRunRequest(BaseModel):
    responses_create_params: dict[str, Any]


class BaseVerifyRequest(BaseRunRequest):
    response: dict[str, Any]


class BaseVerifyResponse(BaseVerifyRequest):
    reward: float


class SimpleResourcesServer(BaseModel, ABC):
    config: BaseResourcesServerConfig
    server_client: ServerClient

    def setup_webserver(self):
        app = FastAPI()
        app.post("/verify")(self.verify)
        return app

    @abstractmethod
    async def verify(self, body: BaseVerifyRequest) -> BaseVerifyResponse: ...
