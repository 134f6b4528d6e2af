"""ms-swift 4.6.0, swift/rewards: a base class made with `args`, and the table of rewards by name."""


class ORM:
    def __init__(self, args=None, **kwargs):
        self.args = args

    def __call__(self, **kwargs):
        raise NotImplementedError


orms = {}
