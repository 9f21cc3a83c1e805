"""What tests compare of Muster and a real CouchDB, and how the two replicate."""

from muster_process import admin_password


def at(muster, name, user="admin", password=admin_password):
    """Returns a database of Muster's as the source or target of a CouchDB's replication."""
    return {"url": f"{muster.address}/{name}", "auth": {"basic": {"username": user, "password": password}}}


def leaves(server, name):
    """Returns each document's leaves, its winner, and the ancestors of each leaf."""
    rows = server.ok("GET", f"/{name}/_changes", style="all_docs", include_docs=True)["results"]
    found = {}
    for row in rows:
        revisions = sorted(change["rev"] for change in row["changes"])
        paths = [
            server.ok("GET", f"/{name}/{row['id']}", rev=revision, revs=True)["_revisions"] for revision in revisions]
        found[row["id"]] = (revisions, row["doc"]["_rev"], paths)
    return found


def meet(muster, name, url):
    muster.ok("POST", "/_replicate", {"source": name, "target": url})
    muster.ok("POST", "/_replicate", {"source": url, "target": name})
