import { describe, expect, test } from "vitest";
import { openAddresses, readAuthority, whyRefused } from "../host-list.ts";

describe("the target of a request", () => {
  test.each([
    ["example.org:443", "example.org", 443],
    ["EXAMPLE.org.:22", "example.org", 22],
    ["2130706433:80", "127.0.0.1", 80],
    ["0x7f.1:80", "127.0.0.1", 80],
    ["0177.0.0.1:80", "127.0.0.1", 80],
    ["[0:0::1]:443", "::1", 443],
    ["[::ffff:127.0.0.1]:80", "::ffff:7f00:1", 80],
  ])("%s is %s at port %d", (authority, host, port) => {
    expect(readAuthority(authority)).toEqual({ host, port });
  });

  test.each(["example.org", "example.org:99999", "a@b:80", "a/b:80", "a b:80", "a\\b:80", ":80", ""])(
    "%j is no target",
    (authority) => {
      expect(readAuthority(authority)).toBeNull();
    },
  );
});

describe("a list of hosts", () => {
  const hosts = ["*.example.com", "github.com:22", "registries", "[fd00::1]:8080"];
  const refusedBy = (authority: string, stopping: Parameters<typeof whyRefused>[1]["stopping"] = []) =>
    whyRefused(readAuthority(authority) ?? { host: "", port: 0 }, { hosts, stopping });

  test.each(["api.example.com:443", "a.b.example.com:80", "github.com:22", "pypi.org:443", "[fd00::1]:8080"])(
    "opens %s",
    (authority) => {
      expect(refusedBy(authority)).toBeNull();
    },
  );

  test.each([
    "example.com:443",
    "api.example.com:22",
    "api.example.com.evil.test:443",
    "github.com:443",
    "pypi.org:80",
    "registry.npmjs.org:443",
    "upload.pypi.org:443",
    "[fd00::1]:443",
  ])("does not open %s", (authority) => {
    expect(refusedBy(authority)).toMatch(/Only the person can allow it: hookctl cage allow /);
  });

  test("does not open what a person's rule stops, but what the rule leaves out", () => {
    const stopping = [{ match: "*.example.com", unless: ["api.example.com"], file: "hooks.json" }];
    expect(refusedBy("x.example.com:443", stopping)).toContain("the rule `*.example.com`");
    expect(refusedBy("api.example.com:443", stopping)).toBeNull();
  });
});

describe("the address of a host", () => {
  const openOf = (address: string, hosts: readonly string[] = ["*"]) =>
    openAddresses([{ address, family: address.includes(":") ? 6 : 4 }], 443, hosts).length === 1;

  test.each([
    ...["127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"],
    ...["168.63.129.16", "224.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fec0::1", "fd00:ec2::254", "ff02::1"],
    ...["::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "::7f00:1"],
  ])("%s is connected to only if the list has it", (address) => {
    expect(openOf(address)).toBe(false);
    expect(openOf(address, [address.includes(":") ? `[${address}]` : address])).toBe(true);
  });

  test.each(["93.184.216.34", "172.32.0.1", "2606:2800:220:1:248:1893:25c8:1946"])("%s is public", (address) => {
    expect(openOf(address)).toBe(true);
  });
});
