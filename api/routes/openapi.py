"""The OpenAPI document, and a page that shows it without loading anything from elsewhere."""

from html import escape
from typing import Any

from litestar import Request, get

from api.description import completed

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Doso API</title>
<style>body{{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}}
td{{padding:.3rem .8rem .3rem 0;vertical-align:top}}code{{font-size:.95em}}</style>
<h1>Doso API</h1><p>The machine-readable description is <a href="/openapi.json">openapi.json</a>.</p>
<table>{rows}</table></html>"""
_ROW = "<tr><td><code>{method}</code></td><td><code>{path}</code></td><td>{what}</td></tr>"
_METHODS = ("get", "post", "put", "patch", "delete")


@get("/openapi.json", include_in_schema=False)
async def document(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of all routes."""
    return completed(request.app.openapi_schema.to_schema())


@get("/docs", include_in_schema=False, media_type="text/html")
async def page(request: Request[Any, Any, Any]) -> str:
    """All routes, one line each."""
    paths: dict[str, dict[str, Any]] = request.app.openapi_schema.to_schema()["paths"]
    rows = (
        _ROW.format(method=method.upper(), path=escape(path), what=escape(item[method].get("description", "")))
        for path, item in sorted(paths.items())
        for method in _METHODS
        if method in item
    )
    return _PAGE.format(rows="\n".join(rows))
