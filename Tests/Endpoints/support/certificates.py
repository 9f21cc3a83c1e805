"""Certificates that openssl makes."""

import subprocess


def make_certificate(chain, key, name="IP:127.0.0.1"):
    """Makes a certificate for a name, which signs itself. Returns the two paths."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", f"subjectAltName={name}", "-keyout", key, "-out", chain],
        check=True, capture_output=True, timeout=60)
    return chain, key
