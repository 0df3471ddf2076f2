/** docs/load-shedding.md suggests what the plan takes, and says the numbers that the gateway gets. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { freePart } from "../../components/gateway/free-routes";
import { repositoryRoot } from "../../names/repository-root";
import { tenantsOf } from "../../planner/tenants";
import { parseWith } from "./config/samples";

const page = readFileSync(join(repositoryRoot(), "docs/load-shedding.md"), "utf8");

it("suggests consumers that are taken, one of them free", () => {
  const [, yaml = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const fragment = parse(yaml) as Readonly<Record<string, unknown>>;
  const file = parseWith({ gateway: fragment["inference-stacks:gateway"] });
  const tenants = file.ok ? tenantsOf(file.environment.gateway.consumers) : [];
  expect(tenants.map(({ priority }) => priority)).toEqual(["paid", "free"]);
});

it("says how many are kept from an engine that refuses, and for how long that counts", () => {
  const { admissionControl } = freePart("chat", {
    consumers: ["trial"],
    requests: { byModel: {}, elsewhere: 1 },
    proxies: 1,
  });
  expect(page).toContain(`up to ${admissionControl?.maxRejectionPercent} of 100`);
  expect(page).toContain(`the last ${parseInt(admissionControl?.samplingWindow ?? "", 10)} seconds' requests`);
});
