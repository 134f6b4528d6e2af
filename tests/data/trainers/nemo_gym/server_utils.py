"""nemo-gym 0.4.0, nemo_gym/server_utils.py: what a server is made with."""

from pydantic import BaseModel


class ServerClient(BaseModel):
    pass
