"""The headers of a record as a mapping that writes into it."""

from collections.abc import MutableMapping


class Header(MutableMapping):
    """Headers and players of a record by the keys of KIF, as ``record.header["棋戦"] = "竜王戦"``.

    Errors: KeyError for a header that is not there; ValueError for a name that KIF has for something else, and for a value
    of several lines; the record stays as it was.
    """

    __slots__ = ("_record",)

    def __init__(self, record):
        self._record = record

    def __getitem__(self, key):
        return self._record._header()[key]

    def __setitem__(self, key, value):
        self._record.header = {**self._record._header(), key: value}

    def __delitem__(self, key):
        header = self._record._header()
        del header[key]
        self._record.header = header

    def __iter__(self):
        return iter(self._record._header())

    def __len__(self):
        return len(self._record._header())

    def __repr__(self):
        return repr(self._record._header())
