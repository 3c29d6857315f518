"""Runs that another thread ends."""

import threading

import freelane as fl
import pytest
from test_session import MODEL, X, close


def test_a_run_ends_when_it_is_cancelled():
    session, cancel = fl.Session(MODEL), fl.Cancel()
    close(session.run([X], cancel=cancel)[0].tolist())
    cancel.cancel()
    assert cancel.cancelled
    with pytest.raises(fl.CancelledError, match="cancelled"):
        session.run([X], cancel=cancel)
    close(session.run([X])[0].tolist())
    cancel.reset()
    close(session.run([X], cancel=cancel)[0].tolist())
    with pytest.raises(TypeError):
        session.run([X], cancel=True)


def test_from_another_thread():
    session, cancel, ended = fl.Session(MODEL), fl.Cancel(), []

    def work():
        try:
            while True:
                session.run([X], cancel=cancel)
        except fl.CancelledError:
            ended.append(True)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    cancel.cancel()
    [t.join(60) for t in threads]
    assert ended == [True] * 4
