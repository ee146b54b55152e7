"""A server like Hugging Face's for one model: model-hub.py PORT REPOSITORY FOLDER. For packaging/machine, which has no network.

Clients find it by HF_ENDPOINT=http://127.0.0.1:PORT. Prints "ready", and a line for each file that was downloaded.
"""
import hashlib
import http.server
import json
import os
import sys

port, repository, folder = int(sys.argv[1]), sys.argv[2], sys.argv[3]
files = sorted(os.listdir(folder))
commit = hashlib.sha1(repository.encode()).hexdigest()


class Hub(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(sends=False)

    def do_GET(self):
        self.answer(sends=True)

    def answer(self, sends):
        path = self.path.split("?")[0]
        if path.startswith(f"/api/models/{repository}/tree/"):
            return self.send([
                {"type": "file", "path": name, "size": self.size(name), "oid": self.etag(name)} for name in files
            ])
        if path.startswith(f"/api/models/{repository}"):
            return self.send({
                "id": repository, "modelId": repository, "sha": commit, "private": False, "tags": [],
                "siblings": [{"rfilename": name} for name in files],
            })
        name = path.rsplit("/", 1)[-1]
        if not path.startswith(f"/{repository}/resolve/") or name not in files:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        self.send_response(200)
        self.send_header("ETag", f'"{self.etag(name)}"')
        self.send_header("X-Repo-Commit", commit)
        self.send_header("Content-Length", str(self.size(name)))
        self.end_headers()
        if sends:
            with open(os.path.join(folder, name), "rb") as file:
                while part := file.read(1 << 20):
                    self.wfile.write(part)
            print(name, flush=True)

    def send(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def size(self, name):
        return os.path.getsize(os.path.join(folder, name))

    def etag(self, name):
        return hashlib.sha1(name.encode()).hexdigest()


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Hub)
print("ready", flush=True)
server.serve_forever()
