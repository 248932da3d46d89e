"""Rules of single levers, beside what shares slots: each in the file named as its kind, where `by_rules` finds it.

`rule(view, memory, settings)` gives what it decides and what it remembers, which is nothing at first.
"""
