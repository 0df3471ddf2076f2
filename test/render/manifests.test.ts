import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { describe, expect, it } from "vitest";
import { defaultAnswers } from "../../offline/answers";
import { type MarkedRun, manifests } from "../../render/manifests";
import { StandIns } from "../../render/pending-values";
import { RenderRefusedError } from "../../render/refusal";
import { RemoteSecrets } from "../../render/remote-secrets";
import { deploy } from "../harness/deploy";

async function renderProgram(program: (password: pulumi.Output<string>) => void) {
  const run = async (letter: string): Promise<MarkedRun> => {
    const standIns = new StandIns(letter);
    const { recording } = await deploy(
      () => program(new random.RandomPassword("password", { length: 20, special: false }).result),
      { answers: standIns.over(defaultAnswers) },
    );
    return { resources: recording.resources, standIns };
  };
  const runs = [await run("a"), await run("b")] as const;
  return manifests("dev", [...runs], new RemoteSecrets("dev", "vault")).manifests.map(({ object }) => object);
}

const metadata = { name: "x", namespace: "s" };

describe("manifests", () => {
  it.each([
    { where: "plain", of: (password: pulumi.Output<string>) => pulumi.unsecret(password) },
    { where: "in a text", of: (password: pulumi.Output<string>) => pulumi.interpolate`postgres://u:${password}@db` },
    { where: "encoded", of: (password: pulumi.Output<string>) => password.apply((p) => btoa(p)) },
  ])("refuses a secret outside a Secret, $where", async ({ of }) => {
    const rendering = renderProgram((password) => {
      new kubernetes.core.v1.ConfigMap("map", { metadata, data: { url: of(password) } });
    });
    await expect(rendering).rejects.toThrow(RenderRefusedError);
    await expect(rendering).rejects.toThrow(
      /^\/ConfigMap s\/x: data\.url holds a value that exists only at deployment/,
    );
  });

  it("refuses what the program marks as secret, though it cannot see why", async () => {
    const map = renderProgram(() => {
      new kubernetes.core.v1.ConfigMap("map", { metadata, data: pulumi.secret({ key: "constant" }) });
    });
    await expect(map).rejects.toThrow("/ConfigMap s/x: data holds a value that exists only at deployment");
    const chart = renderProgram(() => {
      new kubernetes.helm.v3.Release("chart", {
        name: "c",
        namespace: "s",
        chart: "oci://registry.example/c",
        version: "1.0.0",
        values: pulumi.secret({ key: "constant" }),
      });
    });
    await expect(chart).rejects.toThrow(
      "argoproj.io/Application argocd/dev-c: values holds a value that exists only at deployment",
    );
  });

  it("writes a Secret as ExternalSecret, and what is replaced so that a change replaces it", async () => {
    const objects = await renderProgram((password) => {
      new kubernetes.core.v1.Secret("secret", { metadata, stringData: { password } });
      new kubernetes.scheduling.v1.PriorityClass(
        "class",
        { metadata: { name: "x", annotations: { "pulumi.com/skipAwait": "true" } }, value: 1 },
        { deleteBeforeReplace: true },
      );
    });
    expect(objects.map(({ kind, metadata: { annotations } }) => [kind, annotations])).toEqual([
      [
        "ExternalSecret",
        {
          "argocd.argoproj.io/sync-wave": "0",
          "argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true",
        },
      ],
      [
        "PriorityClass",
        {
          "argocd.argoproj.io/sync-wave": "0",
          "argocd.argoproj.io/sync-options": "Force=true,Replace=true",
        },
      ],
    ]);
  });

  it("names a Job by what it runs, for none can change: another one is another Job", async () => {
    const jobs = await renderProgram(() => {
      for (const [index, text] of ["one", "one", "two"].entries()) {
        const spec = { template: { spec: { containers: [{ name: "main", image: text }], restartPolicy: "Never" } } };
        const name = "j".repeat(index === 2 ? 63 : 20 + index);
        new kubernetes.batch.v1.Job(name, { metadata: { ...metadata, name }, spec }, { deleteBeforeReplace: true });
      }
    });
    const names = jobs.map(({ metadata: { name } }) => name);
    const [digest, same, other] = names.map((name) => /^j+-([0-9a-f]{8})$/.exec(name)?.[1]);
    expect(digest).toBeDefined();
    expect(same).toBe(digest);
    expect([undefined, digest]).not.toContain(other);
    expect(names.filter((name) => name.length > 63)).toEqual([]);
    expect(jobs.flatMap(({ metadata: { annotations } }) => Object.keys(annotations ?? {}))).toEqual(
      Array(3).fill("argocd.argoproj.io/sync-wave"),
    );
  });

  it.each([
    ["keda.sh/v1alpha1", "ScaledObject"],
    ["autoscaling/v2", "HorizontalPodAutoscaler"],
  ])("leaves the replicas of what a %s %s scales to it, and no others", async (apiVersion, kind) => {
    const deployment = (name: string, namespace = "s") =>
      new kubernetes.apps.v1.Deployment(`${namespace}-${name}`, {
        metadata: { name, namespace },
        spec: { replicas: 3, selector: { matchLabels: { app: name } }, template: {} },
      });
    const objects = await renderProgram(() => {
      deployment("x");
      deployment("y");
      deployment("x", "other");
      new kubernetes.apiextensions.CustomResource("scaler", {
        apiVersion,
        kind,
        metadata: { name: "replicas", namespace: "s" },
        spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" } },
      });
    });
    const replicas = objects
      .filter((object) => object.kind === "Deployment")
      .map(({ metadata: { name, namespace }, spec }) => [`${namespace}/${name}`, Object(spec).replicas]);
    expect(Object.fromEntries(replicas)).toEqual({ "s/x": undefined, "s/y": 3, "other/x": 3 });
  });
});
