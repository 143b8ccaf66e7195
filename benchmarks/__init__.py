# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: each member measures one thing beside what others need for it, in one run on one machine.

A member is a module with a `SIZE`, and a `main` that takes a size and a folder and returns a
`benchmarks.report.Report`. ``python -m benchmarks`` runs members; see `benchmarks.__main__`.
"""
