"""A board of 100,000 items beside the same table in Datasette (SQLite behind a JSON API, from PyPI): the full read, a filter
and a paste of 20,000 rows, in turn, through HTTP on one machine.

    python3 benches/peer.py PROGRAM [FOLDER]

FOLDER gets the peer's environment and is kept for the next run. Both are read and written the fastest way that their
interfaces offer for it; a peer keeps no history, events or formulas, so its writes do less.
"""

import contextlib
import json
import pathlib
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv

PEER = "datasette==1.0a41"
ITEMS, PASTED, PER_CALL, ROUNDS = 100_000, 20_000, 1_000, 5
START_S = 20
TITLES = ["Name", "Status", "Owner", "Due", "Effort", "Budget", "Tags", "Blocked", "Sprint", "Notes", "Link", "Rating", "Phase"]


def rows(count, seed):
    draw = random.Random(seed)
    for i in range(count):
        yield [
            f"Item {i}",
            draw.choice(["To do", "In progress", "Review", "Done", "Blocked"]),
            draw.choice(["Ada", "Grace", "Linus"]),
            f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
            draw.randint(0, 13),
            draw.randint(0, 5000) + 0.5,
            draw.choice(["ui", "api", "docs", "bug"]),
            draw.choice(["yes", "no"]),
            f"Sprint {draw.randint(1, 20)}",
            f"Note {draw.randint(0, 9999)} of many",
            f"https://example.org/{i}",
            draw.randint(1, 5),
            draw.choice(["Plan", "Build", "Ship"]),
        ]


def ask(method, url, token, body=None, kind="application/json"):
    """The answer's bytes."""
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as answer:
        return answer.read()


def timed(run):
    begun = time.perf_counter()
    answer = run()
    return (time.perf_counter() - begun) * 1000, answer


def started(ending, folder, name, command, says):
    """Starts a program that ends with `ending`, whatever fails after it, and gives the address that it prints on `says`."""
    said = pathlib.Path(folder) / "said.txt"
    with said.open("w") as file:
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, says: file}
        child = subprocess.Popen(command, **streams)
    # The last comes first: it is told to end, and then waited for.
    ending.callback(child.wait)
    ending.callback(child.terminate)
    for _ in range(int(START_S / 0.1)):
        found = re.search(r"http://127\.0\.0\.1:\d+", said.read_text())
        if found:
            return found[0]
        if child.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"{name} did not start:\n{said.read_text()}")


class Ours:
    name = "Pilothouse"

    def __init__(self, ending, program, folder):
        self.url = started(ending, folder, self.name, [program, "serve", "--port", "0", "--data-dir", folder], "stdout")
        made = subprocess.run([program, "account", "add", "Peer", "--json", "--data-dir", folder], capture_output=True, check=True)
        self.token = json.loads(made.stdout)["token"]
        workspace = json.loads(self.get("/workspaces"))["items"][0]["id"]
        quoted = lambda row: ",".join(f'"{cell}"' for cell in row)
        table = "\n".join([quoted(TITLES)] + [quoted(row) for row in rows(ITEMS, 1)])
        made = ask("POST", f"{self.url}/boards/import?workspaceId={workspace}&name=Peer", self.token, table.encode(), "text/csv")
        board = json.loads(made)["board"]
        self.board, columns = f"/boards/{board['id']}", json.loads(self.get(f"/boards/{board['id']}"))["columns"]
        self.columns = {column["title"]: column for column in columns}

    def get(self, path):
        return ask("GET", self.url + path, self.token)

    def read(self):
        return len(self.get(self.board + "/full"))

    def filter(self):
        found = ask("POST", self.url + self.board + "/query", self.token, {"where": ["Status any of Done", "Notes contains 77"], "limit": 100})
        return len(json.loads(found)["items"])

    def cell(self, title, value):
        column = self.columns[title]
        labels = {label["text"]: label["id"] for label in column["settings"].get("labels", [])}
        if column["type"] in ("tags", "people"):
            return [value]
        if column["type"] == "checkbox":
            return value == "yes"
        return labels.get(value, str(value) if column["type"] in ("text", "longText", "link") else value)

    def paste(self, seed):
        fresh = list(rows(PASTED, seed))
        named = [{"name": row[0], "cells": {self.columns[t]["id"]: self.cell(t, v) for t, v in zip(TITLES[1:], row[1:])}} for row in fresh]
        chunks = [json.dumps({"items": named[at : at + PER_CALL]}).encode() for at in range(0, PASTED, PER_CALL)]

        def run():
            for chunk in chunks:
                ask("POST", self.url + self.board + "/items", self.token, chunk)

        return timed(run)[0]


class Peer:
    name = "Datasette"

    def __init__(self, ending, folder, environment):
        file = pathlib.Path(folder) / "peer.db"
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"CREATE TABLE items (id INTEGER PRIMARY KEY, {', '.join(TITLES)})")
            db.executemany(f"INSERT INTO items ({', '.join(TITLES)}) VALUES ({', '.join('?' * len(TITLES))})", rows(ITEMS, 1))
        run = str(environment / "bin" / "datasette")
        secret = "only-for-this-run"
        self.token = subprocess.run([run, "create-token", "root", "--secret", secret], capture_output=True, check=True, text=True).stdout.strip()
        command = [run, str(file), "--root", "--secret", secret, "--port", "0", "--setting", "max_returned_rows", "1000000"]
        command += ["--setting", "max_insert_rows", str(PER_CALL), "--setting", "sql_time_limit_ms", "60000"]
        self.url = started(ending, folder, self.name, command, "stderr")

    def read(self):
        return len(ask("GET", self.url + "/peer/items.json?_shape=arrays&_size=max", self.token))

    def filter(self):
        found = ask("GET", self.url + "/peer/items.json?Status=Done&Notes__contains=77&_size=100&_extra=count", self.token)
        return len(json.loads(found)["rows"])

    def paste(self, seed):
        named = [dict(zip(TITLES, row)) for row in rows(PASTED, seed)]
        chunks = [json.dumps({"rows": named[at : at + PER_CALL]}).encode() for at in range(0, PASTED, PER_CALL)]

        def run():
            for chunk in chunks:
                ask("POST", self.url + "/peer/items/-/insert", self.token, chunk)

        return timed(run)[0]


def main():
    program = sys.argv[1]
    environment = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()) / "peer"
    if not (environment / "bin" / "datasette").exists():
        venv.create(environment, with_pip=True)
        subprocess.run([str(environment / "bin" / "pip"), "install", "--quiet", PEER], check=True)
    with tempfile.TemporaryDirectory() as ours_dir, tempfile.TemporaryDirectory() as peer_dir, contextlib.ExitStack() as ending:
        both = [Ours(ending, program, ours_dir), Peer(ending, peer_dir, environment)]
        found = {one.name: {"full read": [], "filter": [], "paste of 20,000 rows": []} for one in both}
        for round_ in range(ROUNDS):
            for one in both:
                ms, size = timed(one.read)
                found[one.name]["full read"].append(ms)
                ms, count = timed(one.filter)
                assert count == 100, f"{one.name} found {count}"
                found[one.name]["filter"].append(ms)
                if round_ == 0:
                    print(f"{one.name}: {size / 1e6:.1f} MB in a full read", file=sys.stderr)
        # Written last: every paste makes the boards larger, alike on both sides.
        for round_ in range(ROUNDS):
            for one in both:
                found[one.name]["paste of 20,000 rows"].append(one.paste(10 + round_))
        print(f"| what | {both[0].name}, ms | {both[1].name}, ms | ratio |\n|---|---|---|---|")
        for what in found[both[0].name]:
            ours, theirs = (statistics.median(found[one.name][what]) for one in both)
            print(f"| {what} | {ours:.0f} | {theirs:.0f} | {theirs / ours:.1f} times as fast |")


if __name__ == "__main__":
    main()
