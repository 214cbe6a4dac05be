import { testCost } from "./redact-cost.ts";

testCost([
  ...[
    "-eyJ",
    "eyJaaaaaaaa.",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----a-",
    "password: ",
    '"token":"',
  ],
  ...[
    "token=",
    "Bearer ",
    "Basic aA",
    "sk-",
    "xoxb-",
    "cookie: a=",
    "authorization: ",
    "A_KEY=",
    "a",
    "aA1.",
    "?sig=",
    "0",
  ],
  ...["12345678:AA", "-", "sntrys_", "machine a login b ", "key\\", "secret_", "M.", '{"a":', '["'],
]);
