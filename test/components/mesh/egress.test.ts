import { describe, expect, it } from "vitest";
import { egressEntries, egressHost } from "../../../components/mesh/egress";
import { outsideServer } from "../../../names/outside-server";

function server(url: string) {
  const found = outsideServer(url);
  if (!found) {
    throw new Error(url);
  }
  return found;
}

describe("egressEntries", () => {
  it("opens each host once, with all its ports, as TLS or as plain HTTP", () => {
    const entries = egressEntries([
      server("https://api.example.com/v1"),
      server("http://api.example.com:8080"),
      egressHost("api.example.com"),
      egressHost("*.hf.co"),
    ]);
    expect(entries.map(({ name, spec }) => ({ name, spec }))).toEqual([
      {
        name: "egress-any-hf-co",
        spec: {
          hosts: ["*.hf.co"],
          location: "MESH_EXTERNAL",
          resolution: "NONE",
          ports: [{ number: 443, name: "tls-443", protocol: "TLS" }],
        },
      },
      {
        name: "egress-api-example-com",
        spec: {
          hosts: ["api.example.com"],
          location: "MESH_EXTERNAL",
          resolution: "NONE",
          ports: [
            { number: 443, name: "tls-443", protocol: "TLS" },
            { number: 8080, name: "http-8080", protocol: "HTTP" },
          ],
        },
      },
    ]);
  });

  it("opens a server that has no name by its address", () => {
    const [entry] = egressEntries([server("https://203.0.113.7:8443")]);
    expect(entry?.spec).toMatchObject({
      hosts: ["egress-203-0-113-7.invalid"],
      addresses: ["203.0.113.7/32"],
      ports: [{ number: 8443, name: "tcp-8443", protocol: "TCP" }],
    });
  });
});
