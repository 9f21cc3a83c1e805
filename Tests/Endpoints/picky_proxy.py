"""A way to a server that looks at what is asked: it passes on, sooner or later, or answers itself."""

from proxy import Proxy


class PickyProxy(Proxy):
    """Passes on what it does not answer.

    `decide` is given how a request begins; it returns what is to be answered instead, and then the connection ends, or
    None: then the request goes on, once it has returned.
    """

    def __init__(self, port, decide):
        self.decide = decide
        super().__init__(port)

    def fate(self):
        return 0, self._judge

    def _judge(self, data, is_asked):
        answer = self.decide(data) if is_asked else None
        return (data, b"", True) if answer is None else (b"", answer, False)
