"""The official Python client of the Model Context Protocol lists and calls the operations of an example as tools."""

import asyncio
import json
import subprocess
from pathlib import Path

import mcp

from server import Server

# The handshake of the versions up to 2025, and the version of 2026, which has none.
MODES = ("legacy", "2026-07-28", "auto")

TOOL = "putCABASIC-RS2"
CALL_MAX_S = 30


def offer(binary: Path, folder: Path) -> None:
    """Writes the example with its operations as tools."""
    subprocess.run([binary, "example", "performance", folder], check=True, stdout=subprocess.DEVNULL)
    with open(folder / "gantry.toml", "a", encoding="utf-8") as file:
        file.write("\n[mcp]\nenabled = true\n")


def check(server: Server, mode: str) -> None:
    asyncio.run(asyncio.wait_for(use(f"{server.url}/mcp", mode), CALL_MAX_S))


async def use(url: str, mode: str) -> None:
    """The client checks what it gets against the schemas that the list of tools told it."""
    async with mcp.Client(url, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert len(tools) == 3, sorted(tools)
        assert tools[TOOL].output_schema and tools[TOOL].annotations.idempotent_hint, tools[TOOL]
        operation = {"CABASICOperation": {"count_out": 2}}
        fine = await client.call_tool(TOOL, {"countIn": 7, "body": operation})
        assert not fine.is_error, fine
        assert json.loads(fine.content[0].text) == fine.structured_content, fine
        for arguments, code in (({"countIn": "x", "body": operation}, "GTY0411W"), ({"countIn": 7}, "GTY0402W")):
            wrong = await client.call_tool(TOOL, arguments)
            assert wrong.is_error and code in wrong.content[0].text, wrong
        try:
            await client.call_tool("none", {})
        except mcp.MCPError as error:
            assert "Unknown tool: none" in str(error), error
        else:
            raise AssertionError("a tool that there is not was called")
