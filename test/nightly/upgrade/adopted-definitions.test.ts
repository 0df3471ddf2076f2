/**
 * Definitions that a chart has as templates, and that somebody else made from an older release: the real Helm refuses them, doctor says
 * so before, and by doctor's own line Helm takes them over and upgrades them under the objects of their kinds.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { main } from "../../../cli/doctor";
import { doctorSchema } from "../../../cli/doctor/result";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { moduleFolder, requirePart } from "../../../rehearsal/parts/find";
import { runPiped } from "../../cli/run";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { shell } from "../restore/runbook-shell";

interface Definition extends KubernetesObject {
  readonly spec: { readonly versions: readonly Version[] };
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

const RELEASE = { name: "ai-gateway-crds", namespace: "envoy-ai-gateway-system" };
const KIND = "gatewayconfigs.aigateway.envoyproxy.io";

describe("definitions of others that a chart has as templates", { timeout: 300_000 }, () => {
  const cluster = sharedBySuite(() => ControlPlane.start());

  const chart = async (): Promise<string> =>
    join(await moduleFolder("github.com/envoyproxy/ai-gateway"), "manifests/charts/ai-gateway-crds-helm");
  const definitions = async (): Promise<readonly Definition[]> => {
    const folder = join(await chart(), "templates");
    return readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), "utf8")) as Definition);
  };
  const install = async () => {
    const { name, namespace } = RELEASE;
    return shell(
      `${requirePart("helm")} install ${name} ${await chart()} -n ${namespace} --create-namespace`,
      cluster(),
    );
  };
  const verdict = async () => {
    const { out } = await runPiped(main, ["dev", "--kubeconfig", cluster().kubeconfig, "--json"]);
    const check = doctorSchema.parse(JSON.parse(out)).checks.find(({ title }) => title === "Envoy AI Gateway");
    return { status: check?.status, line: /crds=.*/.exec(check?.remedies.join("\n") ?? "")?.[0] ?? "" };
  };
  const versions = async (): Promise<readonly string[]> => {
    const metadata = { name: KIND };
    const found = await cluster().client.get({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata,
    });
    return (found as Definition | undefined)?.spec.versions.map(({ name }) => name) ?? [];
  };
  const config = (version: string): KubernetesObject => ({
    apiVersion: `aigateway.envoyproxy.io/${version}`,
    kind: "GatewayConfig",
    metadata: { name: "theirs", namespace: "default" },
    spec: {},
  });
  let uid: string | undefined;

  it("stop Helm, and doctor says so before", async () => {
    for (const definition of await definitions()) {
      await cluster().client.create(older(definition));
    }
    await shell(`kubectl wait --for=condition=Established --timeout=60s crd/${KIND}`, cluster());
    await cluster().client.create(config("v1alpha1"));
    uid = (await cluster().client.get(config("v1alpha1")))?.metadata.uid;
    expect(await versions()).toEqual(["v1alpha1"]);
    expect((await verdict()).status).toBe("failed");
    const { status, output } = await install();
    expect(status).not.toBe(0);
    expect(output).toContain("invalid ownership metadata");
  });

  it("are Helm's after doctor's line, of the chart's version, with the objects that were there", async () => {
    const { line } = await verdict();
    const adopted = await shell(line, cluster());
    expect(adopted.status, adopted.output).toBe(0);
    expect((await verdict()).status).toBe("passed");
    const { status, output } = await install();
    expect(status, output).toBe(0);
    expect(await versions()).toEqual(["v1alpha1", "v1beta1"]);
    expect(uid).toBeDefined();
    expect((await cluster().client.get(config("v1beta1")))?.metadata.uid).toBe(uid);
  });
});

/** As a release had it that knew the first version alone. */
function older({ spec, ...rest }: Definition): KubernetesObject {
  const [first] = spec.versions;
  return { ...rest, spec: { ...spec, versions: [{ ...first, storage: true }] } };
}
