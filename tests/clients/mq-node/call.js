// Puts messages with modules of mq-dev-patterns, and gets them again: node call.js MANAGER QUEUE COUNT TEXT
// Prints each message as a line of JSON. The environment says where the queue manager is, as the modules want it.
"use strict";

const { MQRestAPI } = require("./lib/MQRestAPI");
const { ParamBuilder } = require("./lib/ParamBuilder");

const [manager, queue, count, text] = process.argv.slice(2);
// What the modules ask of the function that calls them.
const context = { log: () => {} };
const parser = {
  getQmgr: () => manager,
  getQueue: () => queue,
  getQuantity: () => Number(count),
  getMessage: () => text,
};

async function main() {
  const builder = new ParamBuilder();
  builder.init();
  const parameters = builder.build(context, parser);
  const api = new MQRestAPI();
  await api.postMessages(context, parameters, parser);
  for (;;) {
    const message = await api._getOne(parameters);
    if (message === null) {
      return;
    }
    console.log(JSON.stringify(message));
  }
}

main().catch((error) => {
  console.error("the client failed:", error);
  process.exitCode = 1;
});
