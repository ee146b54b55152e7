"""The program: `dictation-engine serve`."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from dictation_engine.activation import SocketError, bind, inherited_socket
from dictation_engine.connection import Engine
from dictation_engine.info import describe
from dictation_engine.machine import usual_threads
from dictation_engine.measure import measure
from dictation_engine.model import Recogniser
from dictation_engine.models import InstallError, check_folder
from dictation_engine.scheduler import Scheduler
from dictation_engine.server import Server

IDLE_LIMIT = 600
"""Seconds after which an engine ends that systemd starts again. This gives back all its memory."""


def main() -> int:
    """Runs a command and returns its exit status."""
    parser = argparse.ArgumentParser(prog="dictation-engine", description="Whisper with text while speaking.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="serve at systemd's socket, or at a path")
    serve.add_argument("--model", type=Path, required=True, help="folder of the model, as CTranslate2 has it")
    serve.add_argument("--socket", type=Path, help="path to listen at, without systemd")
    serve.add_argument("--name", help="the model's name in what the engine says of itself")
    serve.add_argument("--threads", type=int, default=usual_threads(), help="threads of the decoder")
    serve.add_argument("--idle", type=int, help="end after so many seconds without a client")
    speed = commands.add_parser("measure", help="measure for two seconds how fast this machine decodes, as JSON")
    speed.add_argument("--model", type=Path, required=True)
    speed.add_argument("--threads", type=int, default=usual_threads())
    arguments = parser.parse_args()
    try:
        if arguments.command == "measure":
            _measure(arguments)
        else:
            _serve(arguments)
    except (SocketError, InstallError, OSError, RuntimeError, ValueError) as error:
        print(f"dictation-engine: {error}", file=sys.stderr)
        return 1
    return 0


def _serve(arguments: argparse.Namespace) -> None:
    recogniser = Recogniser(check_folder(arguments.model), arguments.threads)
    languages = recogniser.languages
    listener = inherited_socket()
    idle = arguments.idle if arguments.idle is not None else IDLE_LIMIT if listener else None
    own_path = None
    if listener is None:
        if arguments.socket is None:
            raise SocketError("There is no socket: give one with --socket, or start the unit dictation-engine.socket.")
        own_path = arguments.socket
        listener = bind(own_path)

    async def run() -> None:
        engine = Engine(
            scheduler=Scheduler(recogniser),
            info=describe(arguments.name or arguments.model.name, languages),
            languages=languages,
        )
        await Server(engine, idle).run(listener)

    try:
        asyncio.run(run())
    finally:
        if own_path:
            own_path.unlink(missing_ok=True)


def _measure(arguments: argparse.Namespace) -> None:
    speed = measure(check_folder(arguments.model), arguments.threads)
    facts = {"final_seconds": round(speed.final_seconds, 3), "memory": speed.memory, "is_enough": speed.is_enough}
    print(json.dumps(facts))


if __name__ == "__main__":
    sys.exit(main())
