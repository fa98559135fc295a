"""Sealed values open in their own place only, and stay hidden when opened (docs/security.md, "Secrets at rest")."""

import copy
import json
import pickle
from dataclasses import replace

import orjson
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from lib.sealing import CannotOpen, Hidden, KeyRing, Place, new_key
from lib.strict_json import BadJson, strict_dumps

PLACE = Place(7, "webhook_secret/1", "secret", 3)
SECRET = Hidden(b"the secret")


def test_what_is_sealed_opens_again_and_each_time_looks_different():
    ring = KeyRing([new_key()])
    one, two = ring.seal(SECRET, PLACE), ring.seal(SECRET, PLACE)
    assert ring.open(one, PLACE).reveal() == ring.open(two, PLACE).reveal() == b"the secret"
    assert one[:9] == two[:9]
    assert one[9:21] != two[9:21]
    assert b"the secret" not in one


@pytest.mark.parametrize(
    "elsewhere",
    [
        replace(PLACE, tenant=8),
        replace(PLACE, thing="webhook_secret/2"),
        replace(PLACE, field="token"),
        replace(PLACE, version=4),
    ],
)
def test_in_another_place_it_does_not_open(elsewhere):
    ring = KeyRing([new_key()])
    with pytest.raises(CannotOpen, match="another place"):
        ring.open(ring.seal(SECRET, PLACE), elsewhere)


def test_places_can_not_be_written_so_that_two_look_the_same():
    ring = KeyRing([new_key()])
    with pytest.raises(ValueError, match="in its parts"):
        ring.seal(SECRET, Place(1, "a|b", "c"))


def test_not_one_bit_can_be_changed_and_nothing_cut_off():
    ring = KeyRing([new_key()])
    sealed = ring.seal(SECRET, PLACE)
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        with pytest.raises(CannotOpen):
            ring.open(bytes(changed), PLACE)
        with pytest.raises(CannotOpen):
            ring.open(sealed[:place], PLACE)


def test_it_is_plain_aes_256_gcm_with_the_place_as_associated_data():
    key = new_key()
    sealed = KeyRing([key]).seal(SECRET, PLACE)
    data = sealed[:9] + b"7|webhook_secret/1|secret|3"
    assert AESGCM(key.reveal()).decrypt(sealed[9:21], sealed[21:], data) == b"the secret"


def test_the_first_key_seals_and_every_key_opens_what_it_sealed():
    old, new = new_key(), new_key()
    sealed = KeyRing([old]).seal(SECRET, PLACE)
    both = KeyRing([new, old])
    assert both.open(sealed, PLACE).reveal() == b"the secret"
    assert not both.seals_like(sealed)
    assert both.seals_like(both.seal(SECRET, PLACE))
    with pytest.raises(CannotOpen, match="is missing"):
        KeyRing([new]).open(sealed, PLACE)


@pytest.mark.parametrize("keys", [[], [Hidden(b"short")], [new_key(), Hidden(b"")]])
def test_a_ring_without_good_keys_is_none(keys):
    with pytest.raises(ValueError, match="32 bytes"):
        KeyRing(keys)


def test_a_secret_in_the_clear_does_not_get_out_by_accident():
    for text in (repr(SECRET), str(SECRET), f"{SECRET}", f"{SECRET:>20}", " ".join(map(str, [SECRET]))):
        assert "the secret" not in text
        assert "hidden" in text
    assert "the secret" not in repr([SECRET, {"a": SECRET}])
    for spill in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps, orjson.dumps, vars):
        with pytest.raises(TypeError):
            spill(SECRET)
    with pytest.raises(BadJson):
        strict_dumps({"a": SECRET}, max_bytes=1000)
