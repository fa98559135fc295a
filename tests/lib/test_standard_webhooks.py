"""Signatures as the specification has them, and what is none (docs/security.md, "Webhooks")."""

import base64

import pytest

from lib.standard_webhooks import NotSigned, is_id, new_secret, sign, verify, written

# The vector of the Standard Webhooks libraries.
SECRET = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
ID, AT, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def check(*known, **other):
    asked = {"message_id": ID, "timestamp": str(AT), "signatures": SIGNATURE, "body": BODY, "now": AT} | other
    verify(known or [SECRET], **asked)


def test_the_vector_of_the_specification():
    assert sign(SECRET, ID, str(AT), BODY) == SIGNATURE
    assert written(SECRET) == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    check()


@pytest.mark.parametrize(
    "signatures",
    [
        f"{SIGNATURE} v1,AAAA",
        f"v1a,AAAA v1,AAAA {SIGNATURE}",
        f"v2,{SIGNATURE[3:]} {SIGNATURE}",
    ],
)
def test_one_good_signature_among_several_is_enough(signatures):
    check(signatures=signatures)


def test_each_secret_that_counts_may_sign():
    check(new_secret(), SECRET)
    with pytest.raises(NotSigned, match="No signature"):
        check(new_secret(), new_secret())


@pytest.mark.parametrize("seconds", [-300, -1, 0, 299, 300])
def test_five_minutes_of_difference_are_tolerated(seconds):
    check(now=AT + seconds)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"body": BODY + b" "}, "bad_signature"),
        ({"body": b'{"test":2432232314}'}, "bad_signature"),
        ({"message_id": "msg_other"}, "bad_signature"),
        ({"message_id": "msg 1"}, "bad_signature"),
        ({"message_id": "m" * 201}, "bad_signature"),
        ({"message_id": f"msg.{AT}"}, "bad_signature"),
        ({"signatures": SIGNATURE[3:]}, "bad_signature"),
        ({"signatures": "v2" + SIGNATURE[2:]}, "bad_signature"),
        ({"signatures": SIGNATURE[:-2]}, "bad_signature"),
        ({"signatures": "v1,"}, "bad_signature"),
        ({"signatures": "v1,ä"}, "bad_signature"),
        ({"signatures": " ".join(["v1,AAAA"] * 20 + [SIGNATURE])}, "bad_signature"),
        ({"now": AT + 301}, "bad_timestamp"),
        ({"now": AT - 301}, "bad_timestamp"),
        ({"timestamp": str(AT) + ".0"}, "bad_timestamp"),
        ({"timestamp": "1e9"}, "bad_timestamp"),
        ({"timestamp": "-1"}, "bad_timestamp"),
        ({"timestamp": "１６１４２６５３３０"}, "bad_timestamp"),
        ({"timestamp": "9" * 5000}, "bad_timestamp"),
        ({"timestamp": ""}, "not_signed"),
        ({"message_id": ""}, "not_signed"),
        ({"signatures": ""}, "not_signed"),
    ],
)
def test_what_is_not_signed_by_the_secret_and_now_is_refused(wrong, code):
    with pytest.raises(NotSigned) as refused:
        check(**wrong)
    assert refused.value.code == code
    assert SIGNATURE[3:] not in refused.value.message


def test_a_full_stop_can_not_move_between_id_time_and_body():
    """`a.1` + `2` + `x` and `a` + `1` + `2.x` are signed alike, so an id has none."""
    assert sign(SECRET, "a.1", "2", b"x") == sign(SECRET, "a", "1", b"2.x")
    assert is_id("a-1_2:3/4")
    assert not is_id("a.1")
