"""Connections that are made to checked addresses only, and that know when the time is over."""

import queue
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from typing import Any

import httpcore

from lib.egress.addresses import Address, literal
from lib.egress.deadline import Deadline
from lib.egress.errors import EgressError, EgressFailed, EgressTimeout, EgressUnreached
from lib.egress.rules import EgressRules, addresses_of

_MOST_ADDRESSES = 8


class CheckedNetwork(httpcore.NetworkBackend):
    """What httpcore connects through: resolves once, checks every answer, connects to one that was checked."""

    def __init__(self, rules: EgressRules, deadline: Deadline) -> None:
        self._rules = rules
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to `host`; the other parameters are httpcore's and not used. Raises EgressError."""
        addresses = self._in_time(lambda: self._checked(host, port))
        failure: EgressError | None = None
        for address in addresses[:_MOST_ADDRESSES]:
            try:
                return CheckedStream(self._connect(address, port), host, self._deadline)
            except TimeoutError:
                self._deadline.left()
                failure = EgressTimeout(f"{host} at port {port} does not answer.")
            except OSError as error:
                failure = EgressUnreached(f"{host} at port {port} can't be reached: {reason(error)}.")
        raise failure or EgressUnreached(f"{host} has no address.")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        """Never: a socket file has no address that could be checked."""
        raise NotImplementedError

    def _checked(self, host: str, port: int) -> list[Address]:
        """Where `host` is: every address that it has must pass. Raises EgressError."""
        addresses = self._resolve(host, port)
        for address in addresses:
            self._rules.check(host, address, port)
        return addresses

    def _resolve(self, host: str, port: int) -> list[Address]:
        if (address := literal(host)) is not None:
            return [address]
        try:
            return addresses_of(self._rules.resolver(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            raise EgressUnreached(f"The name {host} can't be resolved: {reason(error)}.") from None

    def _in_time(self, look_up: Callable[[], list[Address]]) -> list[Address]:
        """`look_up()`; nothing can interrupt a resolver: its thread is left behind where it takes too long."""
        answer: queue.SimpleQueue[list[Address] | Exception] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answer.put(look_up())
            except Exception as error:
                answer.put(error)

        threading.Thread(target=ask, daemon=True).start()
        try:
            result = answer.get(timeout=self._deadline.left())
        except queue.Empty:
            raise self._deadline.over() from None
        if isinstance(result, Exception):
            raise result
        return result

    def _connect(self, address: Address, port: int) -> socket.socket:
        seconds = min(self._rules.connect_seconds, self._deadline.left())
        connection = socket.create_connection((str(address), port), seconds)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


class CheckedStream(httpcore.NetworkStream):
    """A connection that gives up at the deadline, however busily the other side drips."""

    def __init__(self, connection: socket.socket, host: str, deadline: Deadline) -> None:
        self._socket = connection
        self._host = host
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes, none at the end. Raises EgressError."""
        self._socket.settimeout(self._deadline.left())
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise self._deadline.over() from None
        except OSError as error:
            raise EgressFailed(f"The connection to {self._host} broke: {reason(error)}.") from None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of `buffer`. Raises EgressTimeout, or httpcore.WriteError, upon which the answer is read at once."""
        rest = memoryview(buffer)
        while rest:
            self._socket.settimeout(self._deadline.left())
            try:
                rest = rest[self._socket.send(rest) :]
            except TimeoutError:
                raise self._deadline.over() from None
            except OSError as error:
                raise httpcore.WriteError(reason(error)) from None

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted, with a certificate that is checked against the host. Raises EgressError."""
        try:
            self._socket.settimeout(self._deadline.left())
            tls_socket = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            self.close()
            message = f"The certificate of {self._host} is not trusted: {error.verify_message}."
            raise EgressUnreached(message) from None
        except TimeoutError:
            self.close()
            raise self._deadline.over() from None
        except (OSError, ValueError) as error:
            self.close()
            raise EgressUnreached(f"No TLS with {self._host}: {reason(error)}.") from None
        except BaseException:
            self.close()
            raise
        return CheckedStream(tls_socket, self._host, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Only what httpcore asks for: which protocol the two sides agreed on is never HTTP/2."""
        return None


def reason(error: Exception) -> str:
    """What the system says is wrong, in a few words."""
    if isinstance(error, ssl.SSLError):
        return str(error.reason or "it does not speak TLS").replace("_", " ").lower()
    return str(getattr(error, "strerror", None) or error or type(error).__name__).rstrip(".")
