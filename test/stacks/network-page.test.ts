/** docs/network.md suggests a name that the plan takes, and that reaches whoever shows an address. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { parseEnvironmentFile } from "../../stacks/config";
import { wildcardHostname } from "../../stacks/config/core/wildcard-dns";
import { atNight } from "../harness/property-runs";
import { environmentText, parseWith, rightEnvironment } from "./config/samples";

const [fragment = ""] = [
  ...readFileSync(join(repositoryRoot(), "docs", "network.md"), "utf8").matchAll(/^```yaml\n(.*?)^```$/gms),
].map(([, yaml]) => yaml);

describe("a name without DNS work", () => {
  it("is the gateway's, as its page suggests", () => {
    const written = Object.entries(parse(fragment) as object).map(([key, value]) => [
      key.replace("inference-stacks:", ""),
      value,
    ]);
    const pools = { machine: { node: { vcpus: 16, memoryGiB: 64, card: "l40s", gpuCount: 1 } } };
    const models = { chat: rightEnvironment.models.small };
    const file = parseEnvironmentFile(
      environmentText({ ...rightEnvironment, pools, models, ...Object.fromEntries(written) }),
    );
    expect(file.ok ? file.environment.gateway.hostname : file.problems).toBe("inference.192-168-1-30.sslip.io");
  });

  it("is a host name for every address and first label", () => {
    const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/);
    fc.assert(
      fc.property(octets, label, fc.constantFrom("nip.io" as const, "sslip.io" as const), (four, name, service) => {
        const hostname = wildcardHostname({ service, address: four.join("."), name });
        expect(parseWith({ gateway: { ...rightEnvironment.gateway, hostname } }).ok).toBe(true);
        expect(hostname.split(".").at(1)?.split("-").map(Number)).toEqual(four);
      }),
      { numRuns: atNight(50) },
    );
  });
});
