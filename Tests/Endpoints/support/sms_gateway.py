"""The gateways of texts, as a server sees them: Twilio, Kannel, and the script behind Gammu."""

import base64
import http.client
import re
import xml.etree.ElementTree
from urllib.parse import quote, urlencode, urlsplit

from twilio.request_validator import RequestValidator

public_url = "https://muster.example.org"
token = "0123456789abcdef0123456789abcdef"


def arguments(folder):
    """The options of a server that takes texts from `SMSGateway`."""
    secret = folder / "twilio-token"
    secret.write_text(token + "\n")
    return ["--sms-gateway", "texts", "--twilio-auth-token", str(secret), "--sms-country", "34",
            "--public-url", public_url]


def declarations(admin, person):
    return admin.items(f"/users/{person.name}/declarations")


def state(admin, person):
    page = admin.ok("GET", "/teams/north/safety")
    return next(member["state"] for member in page["members"] if member["user"] == person.name)


def count(admin, event):
    """How often the server has counted an event."""
    text = admin.send("GET", "//metrics").text
    found = re.search(rf'muster_events_total{{event="{event}"}} (\d+)', text)
    return int(found.group(1)) if found else 0


def code_in(answer):
    return re.search(r"\b\d{6}\b", answer).group(0)


class SMSGateway:
    """A gateway that posts texts to a server, and returns the answer that the person would get; "" for none."""

    def __init__(self, server, key, token, public_url):
        self.server = server
        self.key = key
        self.signer = RequestValidator(token)
        self.public_url = public_url

    def post(self, path, body, headers):
        """Sends one request. Returns status, headers and body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", urlsplit(self.server.address).port, timeout=60)
        try:
            connection.request("POST", path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def twilio(self, sender, text, sid, *, path="/sms", status=200, signature=None, **more):
        """Posts as Twilio does, signed by Twilio's own library."""
        form = {"ToCountry": "ES", "SmsMessageSid": sid, "NumMedia": "0", "FromCountry": "ES", "SmsSid": sid,
                "Body": text, "From": sender, "To": "+34911222333", "MessageSid": sid, "AccountSid": "AC0",
                "ApiVersion": "2010-04-01", **more}
        signed = signature or self.signer.compute_signature(self.public_url + path, form)
        found, headers, body = self.post(path, urlencode(form), {
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8", "X-Twilio-Signature": signed})
        assert found == status, (found, body)
        if status != 200:
            return body
        assert headers["Content-Type"].startswith("text/xml")
        markup = xml.etree.ElementTree.fromstring(body)
        assert markup.tag == "Response"
        return "".join(message.text for message in markup.iter("Message"))

    def kannel(self, sender, text, message, *, time="", status=200, user="texts"):
        """Posts as Kannel does for `post-url = "http://texts:KEY@…/sms?from=%p&id=%I&time=%t"`: the text is the body,
        in UTF-16 where GSM's alphabet does not have it."""
        basic = base64.b64encode(f"{user}:{self.key}".encode()).decode()
        plain = text.isascii()
        query = f"from={quote(sender)}&id={quote(message)}&time={quote(time)}"
        found, headers, body = self.post(
            f"/sms?{query}", text.encode("utf-8" if plain else "utf-16-be"),
            {"Content-Type": "text/plain" if plain else 'text/plain; charset="UTF-16BE"',
             "Authorization": f"Basic {basic}", "X-Kannel-Service": "muster"})
        assert found == status, (found, body)
        assert status != 200 or headers["Content-Type"] == "text/plain; charset=utf-8"
        return body

    def gammu(self, sender, text, name=None, *, status=200, key=None):
        """Posts as the script of docs/sms.md does."""
        form = {"from": sender, "text": text, **({"id": name} if name else {})}
        found, _, body = self.post("/sms", urlencode(form), {
            "Content-Type": "application/x-www-form-urlencoded", "Authorization": f"Bearer {key or self.key}"})
        assert found == status, (found, body)
        return body
