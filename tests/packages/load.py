#!/usr/bin/env python3
"""Clients that ask while a gateway is replaced: load.py HOST PORT METHOD PATH BODY SECONDS

Half of them keep their connections, half open one for each request. No request is repeated. Prints one line of JSON: requests,
the lost ones with their reasons, and the longest time to an answer.
"""

import http.client
import json
import sys
import threading
import time

host, port, method, path, body, seconds = sys.argv[1:]
end = time.monotonic() + float(seconds)
lock = threading.Lock()
result = {"requests": 0, "lost": 0, "reasons": {}, "slowest_ms": 0}


def ask(connection, keeps):
    headers = {"Content-Type": "application/json", "Connection": "keep-alive" if keeps else "close"}
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"status {answer.status}")
    return answer.will_close


def client(keeps):
    connection = None
    while time.monotonic() < end:
        began, reason = time.monotonic(), None
        try:
            if connection is None:
                connection = http.client.HTTPConnection(host, int(port), timeout=30)
            if ask(connection, keeps):
                connection.close()
                connection = None
        except Exception as error:  # Whatever it is, the request is lost.
            reason = f"{type(error).__name__}: {error}"
            connection.close()
            connection = None
        took = (time.monotonic() - began) * 1000
        with lock:
            result["requests"] += 1
            result["slowest_ms"] = max(result["slowest_ms"], round(took))
            if reason:
                result["lost"] += 1
                result["reasons"][reason] = result["reasons"].get(reason, 0) + 1
        time.sleep(0.002)


clients = [threading.Thread(target=client, args=(number % 2 == 0,)) for number in range(8)]
for one in clients:
    one.start()
for one in clients:
    one.join()
print(json.dumps(result))
