"""A proxy that inspects requests, and answers some of them itself."""

from proxy import Proxy


class PickyProxy(Proxy):
    """Passes on each request that it does not answer.

    `decide` receives the beginning of a request. It returns an answer, after which the connection ends, or None to pass
    the request on. A request is passed on only after `decide` has returned.
    """

    def __init__(self, port, decide):
        self.decide = decide
        super().__init__(port)

    def fate(self):
        return 0, self._judge

    def _judge(self, data, is_asked):
        answer = self.decide(data) if is_asked else None
        return (data, b"", True) if answer is None else (b"", answer, False)
