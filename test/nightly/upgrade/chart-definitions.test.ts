/** `up` upgrades the definitions of charts under live objects: the real engine with its hook, the real kubectl, the real API server. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { chart } from "../../../catalog/charts";
import type { KubernetesObject } from "../../../kubernetes/object";
import { moduleFolder } from "../../../rehearsal/parts/find";
import { chartArchiveOf } from "../../bundle/registry";
import { ChartClone } from "../../e2e/engine/chart-clone";
import { sharedBySuite } from "../../e2e/shared-by-suite";

const SECURITY_POLICIES = "securitypolicies.gateway.envoyproxy.io";
/** What 1.9.1 asks of an issuer, and what 1.9.0 asked. */
const ISSUER = { now: /pattern: \^https:\/\/\S+/g, before: "minLength: 1" };
const BUNDLE = "gateway.networking.k8s.io/bundle-version";
const GATEWAYS = "gateways.gateway.networking.k8s.io";

/** Files of the chart's definitions by path, as the release of Envoy Gateway has them that tests run. */
async function definitionFiles(): Promise<Readonly<Record<string, string>>> {
  const folder = join(await moduleFolder("github.com/envoyproxy/gateway"), "charts/gateway-helm");
  const crds = join(folder, "charts/crds");
  const files = readdirSync(crds, { recursive: true, encoding: "utf8" })
    .filter((file) => /^(Chart\.yaml|crds\/.*\.yaml)$/.test(file))
    .map((file) => join(crds, file));
  return Object.fromEntries(files.map((file) => [relative(folder, file), readFileSync(file, "utf8")]));
}

describe("definitions of a chart's crds/", { timeout: 900_000 }, () => {
  const clone = sharedBySuite(() => ChartClone.start());
  const client = () => clone().surroundings.plane.client;
  const before: KubernetesObject[] = [];

  const definition = async (name: string): Promise<KubernetesObject> => {
    const apiVersion = "apiextensions.k8s.io/v1";
    const found = await client().get({ apiVersion, kind: "CustomResourceDefinition", metadata: { name } });
    if (found === undefined) {
      throw new Error(`the cluster has no definition ${name}`);
    }
    return found;
  };

  /** Objects of the kinds that the chart brings, as they live. */
  const objects = async (): Promise<readonly KubernetesObject[]> => {
    const kinds = [
      ["gateway.networking.k8s.io/v1", "Gateway"],
      ["gateway.networking.k8s.io/v1", "HTTPRoute"],
      ["gateway.envoyproxy.io/v1alpha1", "EnvoyProxy"],
      ["gateway.envoyproxy.io/v1alpha1", "SecurityPolicy"],
    ] as const;
    const lists = await Promise.all(kinds.map(([apiVersion, kind]) => client().list(apiVersion, kind)));
    return lists.flat();
  };

  /** A release of the chart with these definitions: other bytes under the same version, which the lock must not know. */
  const publish = (files: Readonly<Record<string, string>>): void => {
    const { name, chart: inside, version } = chart("gateway-helm");
    clone().repositories.archives.set(name, chartArchiveOf(inside, version, files));
    clone().forget(name);
  };

  it("stay old while nothing but Helm brings them, which leaves what exists", async () => {
    const files = await definitionFiles();
    for (const text of Object.values(files).flatMap((file) => file.split(/^---$/m))) {
      if (/^kind: CustomResourceDefinition$/m.test(text)) {
        const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldManager=helm";
        const old = text.replace(ISSUER.now, ISSUER.before);
        expect((await client().request("POST", path, old, "application/yaml")).status).toBe(201);
      }
    }
    await clone().must("up", "--yes", "--skip-preview");
    before.push(...(await objects()));
    expect(new Set(before.map(({ kind }) => kind)).size).toBeGreaterThan(2);
    expect(JSON.stringify(await definition(SECURITY_POLICIES))).not.toContain("^https://");
    publish(files);
  });

  it("are brought to the chart's before its release is updated, and every object stays as it was", async () => {
    const { output } = await clone().must("up", "--yes", "--skip-preview");
    expect(output).toMatch(/chart gateway-helm: applied \d\d custom resource definitions/);
    const upgraded = await definition(SECURITY_POLICIES);
    expect(JSON.stringify(upgraded)).toContain("^https://");
    const owners = (upgraded.metadata.managedFields ?? []) as readonly { readonly manager: string }[];
    expect(owners.map(({ manager }) => manager)).toContain("inference-stacks");
    expect((await objects()).map(identity)).toEqual(before.map(identity));
    await clone().must("preview", "--expect-no-changes");
  });

  it("stop the release where the API server refuses one, and say which", async () => {
    const files = await definitionFiles();
    // Objects are stored in v1: no definition may leave that out.
    publish(mapped(files, (text) => text.replace(/^( +)name: v1$/gm, "$1name: v1other")));
    const { status, output } = await clone().run("up", "--yes", "--skip-preview");
    expect(status).not.toBe(0);
    expect(output).toContain("custom resource definitions of chart gateway-helm were not applied");
    expect(output).toContain("status.storedVersions");
    expect((await objects()).map(identity)).toEqual(before.map(identity));
  });

  it("leave a newer Gateway API of somebody else alone, and say so", async () => {
    await client().patch(await definition(GATEWAYS), { metadata: { annotations: { [BUNDLE]: "v9.0.0" } } });
    publish({ ...(await definitionFiles()), "README.md": "other bytes" });
    const { output } = await clone().must("up", "--yes", "--skip-preview");
    expect(output).toContain(`the cluster has a newer Gateway API, which stays: ${GATEWAYS}`);
    expect((await definition(GATEWAYS)).metadata.annotations?.[BUNDLE]).toBe("v9.0.0");
    expect((await objects()).map(identity)).toEqual(before.map(identity));
  });
});

function mapped(files: Readonly<Record<string, string>>, change: (text: string) => string) {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, change(text)]));
}

/** An object that was made anew has another uid; one that was changed, another generation. */
function identity({ kind, metadata }: KubernetesObject): string {
  const { namespace, name, uid, generation } = metadata;
  return [kind, namespace, name, uid, generation].join(" ");
}
