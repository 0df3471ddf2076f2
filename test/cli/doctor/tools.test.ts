import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { main } from "../../../cli/doctor";
import { ociCredentials } from "../../../cli/doctor/oci-credentials";
import { doctorSchema } from "../../../cli/doctor/result";
import { toolChecks, type VersionOf } from "../../../cli/doctor/tools";
import { environmentIn, laptop, runPiped, useFolder } from "../run";
import { needs } from "./made-up";

const folder = useFolder();
const TENANCY = "ocid1.tenancy.oc1..aaaa";

afterEach(() => vi.unstubAllEnvs());

let home: string;
let homes = 0;
beforeEach(() => {
  homes += 1;
  home = join(folder, `home-${homes}`);
  mkdirSync(join(home, ".oci"), { recursive: true });
});

function profile(text: string): void {
  writeFileSync(join(home, ".oci", "key.pem"), "");
  writeFileSync(join(home, ".oci", "token"), "");
  writeFileSync(join(home, ".oci", "config"), text);
}

const WHOLE = `[DEFAULT]
# the usual one
user=ocid1.user.oc1..u
fingerprint = aa:bb
tenancy=${TENANCY}
region=eu-frankfurt-1
key_file=~/.oci/key.pem
`;

describe("credentials of OCI", () => {
  const judge = (config: Record<string, string> = {}, env: Record<string, string> = {}) =>
    ociCredentials(TENANCY, { env: { HOME: home, ...env }, config });

  it("are a whole profile of the same tenancy", () => {
    profile(WHOLE);
    expect(judge()).toMatchObject({ status: "passed", found: `profile DEFAULT of ${join(home, ".oci", "config")}` });
  });

  it.each([
    ["another tenancy's", WHOLE.replace(TENANCY, "ocid1.tenancy.oc1..bbbb"), "failed", /of another tenancy/],
    ["without its key", WHOLE.replace("key.pem", "gone.pem"), "failed", /key or token file that is not there/],
    ["not whole", WHOLE.replace("region=", "area="), "failed", /lacks region$/],
    ["a session", `${WHOLE}security_token_file=~/.oci/token\n`, "warning", /a session, which ends/],
    ["of another name", WHOLE.replace("DEFAULT", "work"), "failed", /has no profile DEFAULT/],
  ])("in a profile that is %s", (_, text, status, found) => {
    profile(text);
    expect(judge()).toMatchObject({ status, found: expect.stringMatching(found) });
  });

  it("may stand in a profile that is named, which takes the rest from DEFAULT", () => {
    profile(`${WHOLE}[work]\ntenancy=ocid1.tenancy.oc1..bbbb\n`);
    expect(judge({ "oci:configFileProfile": "work" }).status).toBe("failed");
    expect(judge({}, { TF_VAR_config_file_profile: "DEFAULT" }).status).toBe("passed");
  });

  it("may be the machine's own, or variables, and none at all are told how to get", () => {
    expect(judge({ "oci:auth": "InstancePrincipal" })).toMatchObject({ status: "passed" });
    const env = {
      TF_VAR_tenancy_ocid: TENANCY,
      TF_VAR_user_ocid: "ocid1.user.oc1..u",
      TF_VAR_fingerprint: "aa:bb",
      TF_VAR_private_key: "-----BEGIN secret-key",
    };
    expect(judge({}, env)).toEqual({
      status: "passed",
      found: "an API key in the configuration or in TF_VAR_ variables",
    });
    expect(judge()).toMatchObject({ status: "failed", found: expect.stringContaining("no TF_VAR_ variables") });
  });
});

describe("tools of the machine that makes the cluster", () => {
  const created = { ...needs().cluster, kind: "oci" as const, provision: "create" as const };
  const sources = { env: {}, config: {} };
  const versions =
    (found: Readonly<Record<string, string>>): VersionOf =>
    async (command) =>
      found[command];

  it("are Pulumi and kubectl alone where the cluster exists, and a warning while they are missing", async () => {
    const statuses = async (found: Readonly<Record<string, string>>) =>
      (await toolChecks(needs().cluster, sources, versions(found))).map(({ title, status }) => [title, status]);
    expect(await statuses({})).toEqual([
      ["pulumi", "warning"],
      ["kubectl", "warning"],
    ]);
    expect(await statuses({ pulumi: "v3.1.0", kubectl: "v1.34" })).toEqual([
      ["pulumi", "failed"],
      ["kubectl", "passed"],
    ]);
  });

  it.each([
    [{ pulumi: "v3.259.0", kubectl: "v1.34", oci: "3.60.0" }, ["passed", "passed", "passed"]],
    [{ pulumi: "v3.258.0", kubectl: "", oci: "" }, ["failed", "passed", "passed"]],
    [{ pulumi: "", kubectl: "", oci: "" }, ["warning", "passed", "passed"]],
    [{}, ["failed", "warning", "failed"]],
  ])("%o", async (found, statuses) => {
    const checks = await toolChecks(created, sources, versions(found as Record<string, string>));
    expect(checks.map(({ status }) => status)).toEqual(statuses);
    for (const { status, remedies } of checks) {
      expect(remedies.length > 0 || status === "passed" || status === "warning").toBe(true);
    }
  });

  it("are told with the checks that wait for a cluster that does not exist yet", async () => {
    // No tool of this machine's.
    vi.stubEnv("PATH", join(folder, "nowhere"));
    const { out } = await runPiped(main, ["oci-a10", "--json"]);
    const { cluster, checks } = doctorSchema.parse(JSON.parse(out));
    expect(cluster).toBeNull();
    const waiting = checks.filter(({ status }) => status === "not asked").map(({ title }) => title);
    expect(waiting).toEqual(
      expect.arrayContaining(["Limits and capacity", "API server", "Kubernetes", "Pool a10", "Rights"]),
    );
    expect(checks.find(({ check }) => check === "credentials")).toMatchObject({ status: "failed" });
  });

  it("are k3d or kind, and their engine, where the cluster is made on it", async () => {
    const local = { ...needs().cluster, kind: "local", provision: "create", local: { tool: "kind", engine: "podman" } };
    const cluster = local as Parameters<typeof toolChecks>[0];
    const checks = await toolChecks(cluster, sources, versions({ podman: "podman version 5.6.0" }));
    expect(checks.map(({ title, status }) => [title, status])).toEqual([
      ["pulumi", "failed"],
      ["kubectl", "warning"],
      ["kind", "failed"],
      ["podman", "passed"],
    ]);
    expect(checks[2]?.remedies).toEqual(["install it: https://kind.sigs.k8s.io/docs/user/quick-start/#installation"]);
  });
});

it("a plan that is refused is said, for pulumi up would stop", async () => {
  const file = environmentIn(folder, {
    ...laptop,
    pools: { laptop: { role: "cpu", node: { vcpus: 2, memoryGiB: 1 } } },
  });
  const kubeconfig = join(folder, "none");
  vi.stubEnv("PATH", join(folder, "nowhere"));
  const { status, out } = await runPiped(main, ["test", "--config", file, "--kubeconfig", kubeconfig, "--json"]);
  const { checks } = doctorSchema.parse(JSON.parse(out));
  expect(status).toBe(1);
  expect(checks[0]).toMatchObject({
    check: "plan",
    status: "warning",
    remedies: ["npm run plan -- test gives the reasons and fixes"],
  });
  expect(checks.map(({ check, status: one }) => [check, one]).slice(1, 4)).toEqual([
    ["tool", "warning"],
    ["tool", "warning"],
    ["api-server", "failed"],
  ]);
});
