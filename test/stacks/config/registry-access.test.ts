import { describe, expect, it } from "vitest";
import { problemsWith, rightEnvironment, told } from "./samples";

const NETWORKS = ["10.20.0.8/32"];
const proxyWith = (proxy: object, more: object = {}) => told({ storage: { proxy }, ...more }, "storage.proxy");

describe("a proxy that is known by a name alone", () => {
  it.each(["proxy.corp", "proxy.site.internal", "proxy.local", "proxy.lan", "proxy.home.arpa"])(
    "is refused with the private name %s",
    (host) => {
      expect(proxyWith({ url: `http://${host}:3128` })).toEqual([
        `storage.proxy.networks is nothing; allowed: the networks of ${host}, a name of a private network: without them NetworkPolicies allow every public address at port 3128, and not this server. Add the addresses that the name resolves to, for example networks: ["10.20.0.8/32"].`,
      ]);
      expect(proxyWith({ url: `http://${host}:3128`, networks: NETWORKS })).toEqual([]);
    },
  );

  it("is refused in production, and taken in development", () => {
    const proxy = { url: "http://proxy.example.com:3128" };
    expect(proxyWith(proxy)).toEqual([]);
    expect(proxyWith(proxy, { stage: "production" })).toEqual([
      expect.stringMatching(/^storage\.proxy\.networks is nothing; allowed: in production the networks of/),
    ]);
    expect(proxyWith({ ...proxy, networks: NETWORKS }, { stage: "production" })).toEqual([]);
  });

  it("may be an address, which needs no networks", () => {
    expect(proxyWith({ url: "http://10.20.0.8:3128" }, { stage: "production" })).toEqual([]);
  });
});

describe("networks", () => {
  it.each(["0.0.0.0/0", "::/0"])("are refused as %s, which restricts nothing", (cidr) => {
    expect(proxyWith({ url: "http://proxy.example.com:3128", networks: [cidr] })).toEqual([
      `storage.proxy.networks[0] is "${cidr}"; allowed: a network in CIDR form of the server's addresses: a network of every address restricts nothing. Write the server's own addresses, for example 192.168.1.20/32, or remove networks.`,
    ]);
    expect(told({ storage: { registryNetworks: [cidr] } }, "storage.registryNetworks")).toEqual([
      expect.stringContaining("a network of every address restricts nothing"),
    ]);
  });

  it("of the registry are no names", () => {
    expect(told({ storage: { registryNetworks: ["registry.ollama.ai"] } }, "storage.registryNetworks")).toEqual([
      "storage.registryNetworks[0] is \"registry.ollama.ai\"; allowed: a network in CIDR form of the server's addresses: names are not networks: a NetworkPolicy holds addresses. Remove registryNetworks and write storage.proxy with its networks: the proxy decides by name (docs/network.md has the registry's hosts).",
    ]);
    expect(proxyWith({ url: "http://proxy.example.com:3128", networks: ["proxy.example.com"] })).toEqual([
      expect.stringContaining("Write the addresses that the name resolves to"),
    ]);
  });
});

describe("networks of the registry", () => {
  const storage = { registryNetworks: ["203.0.113.0/24"] };

  it("are refused where no engine fetches models itself", () => {
    const { chat } = rightEnvironment.models;
    expect(told({ storage }, "storage")).toEqual([]);
    expect(told({ storage, models: { chat } }, "storage")).toEqual([
      'storage.registryNetworks is ["203.0.113.0/24"]; allowed: only with a model whose engine fetches models itself: ollama. Remove it: nothing reads it.',
    ]);
  });

  it("are refused with a proxy", () => {
    const proxy = { url: "http://proxy.example.com:3128", networks: NETWORKS };
    expect(problemsWith({ storage: { ...storage, proxy } })).toMatchObject([
      { path: "storage.registryNetworks", allowed: expect.stringContaining("only without storage.proxy") },
    ]);
  });
});
