"""Lease tokens that differ from one that was given out in a single part."""


def altered(token):
    """A token for each way to change one part of it, or to add one."""
    secret, epoch, proof = token.split(".")
    other = "A" if token[-1] != "A" else "B"
    return [
        f"{secret}.{epoch}.{proof[:-1]}{other}",
        f"{secret}.{epoch}.{proof[:-1]}",
        f"{secret}.{epoch}.",
        f"{secret}.{epoch}",
        f"{secret}.{epoch}.{proof}.more",
        f"{secret}.{epoch}.more:{proof}",
        f"{secret}.{int(epoch) + 1}.{proof}",
        f"{secret}.0{epoch}.{proof}",
        f"{secret}..{proof}",
        f"{secret[:-1]}.{epoch}.{proof}",
        secret,
    ]
