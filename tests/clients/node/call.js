// Calls the service KINDS with node-soap, and prints each value of the answer as a line: node call.js WSDL VERSION VALUES [ZONED]
// VERSION is 1.1 or 1.2. VALUES is a file of JSON. ZONED replaces one value, so that a fault comes.
"use strict";

const fs = require("fs");
const soap = require("soap");

const [wsdl, version, values, zoned] = process.argv.slice(2);

function print(name, value) {
  if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      print(name ? `${name}.${key}` : key, inner);
    }
  } else {
    console.log(`${name}=${value}`);
  }
}

function printFault(error) {
  const fault = error.root?.Envelope?.Body?.Fault;
  if (!fault) {
    throw error;
  }
  const code = fault.Code?.Value ?? fault.faultcode;
  console.log(`fault.status=${error.response.status}`);
  console.log(`fault.code=${code.split(":").pop()}`);
  console.log(`fault.text=${fault.Reason?.Text?.$value ?? fault.faultstring}`);
  console.log(`fault.condition=${(fault.Detail ?? fault.detail).fault.condition}`);
}

async function main() {
  // Numbers stay text: a number of JavaScript does not have 18 digits.
  const asText = Object.fromEntries(["int", "short", "long", "decimal", "float", "double"].map((type) => [type, (text) => text]));
  const is12 = version === "1.2";
  const client = await soap.createClientAsync(wsdl, { forceSoap12Headers: is12, customDeserializer: asText });
  const request = JSON.parse(fs.readFileSync(values, "utf8"));
  if (zoned) {
    request.zoned = zoned;
  }
  const port = client.KINDSService[is12 ? "KINDS12Port" : "KINDSPort"];
  await new Promise((resolve, reject) => {
    port.KINDSOperation(request, (error, answer) => {
      try {
        error ? printFault(error) : print("", answer);
        resolve();
      } catch (unexpected) {
        reject(unexpected);
      }
    });
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
