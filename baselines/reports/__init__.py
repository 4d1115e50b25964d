"""The one way to report: results with their figures for JSON, and documents for Markdown files and terminals.

A study's results are dataclasses (`cardenvs.baselines.reports.results.Result`), whose fields are the figures. A study's
``report.py`` says them once, as a document (`cardenvs.baselines.reports.document.Document`) of headings, words, tables and
pictures, which is rendered as Markdown (`markdown.py`) and in a terminal (`terminal.py`).
"""
