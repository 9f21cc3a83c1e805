"""A web server over HTTP/2 and TLS, for stand-ins of services that are spoken to so."""

import socket
import ssl
import threading

import h2.config
import h2.connection
import h2.events


class HTTP2Service:
    """Listens on a port of its own. `answer` receives the header fields of a request, its body and the number of its
    connection, and returns a status, header fields and a body."""

    def __init__(self, certificate, key, answer):
        self.answer = answer
        self.connections = 0
        self.goes_away_after = None
        """Closes a connection with GOAWAY after so many requests."""
        self.arrived = threading.Condition()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.context.set_alpn_protocols(["h2"])
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        # Ends the wait of the thread that accepts, too: it would take one more connection.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    @property
    def url(self):
        return f"https://localhost:{self.port}"

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, raw):
        try:
            with self.context.wrap_socket(raw, server_side=True) as connection:
                if connection.selected_alpn_protocol() == "h2":
                    self._speak(connection)
        except OSError:
            pass

    def _speak(self, connection):
        with self.arrived:
            self.connections += 1
            number = self.connections
        state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        state.initiate_connection()
        connection.sendall(state.data_to_send())
        streams, served = {}, 0
        while data := connection.recv(65_536):
            for event in state.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    streams[event.stream_id] = (dict(event.headers), bytearray())
                elif isinstance(event, h2.events.DataReceived):
                    streams[event.stream_id][1].extend(event.data)
                    state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    headers, body = streams.pop(event.stream_id)
                    served += 1
                    status, fields, text = self.answer(headers, bytes(body), number)
                    named = [(":status", str(status)), *((name.lower(), value) for name, value in fields.items())]
                    state.send_headers(event.stream_id, named, end_stream=not text)
                    if text:
                        state.send_data(event.stream_id, text, end_stream=True)
            connection.sendall(state.data_to_send())
            if self.goes_away_after is not None and served >= self.goes_away_after:
                state.close_connection()
                connection.sendall(state.data_to_send())
                return
