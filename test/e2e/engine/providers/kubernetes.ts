import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { main } from "@pulumi/pulumi/provider";
import { connect } from "../../../../rehearsal/cluster/kubeconfig";
import { HelmRelease } from "./helm-release";
import { KubernetesResource } from "./kubernetes-resource";
import { type Properties, plain } from "./secrets";

/**
 * Stands in for the official `kubernetes` provider: objects go to the API server of KUBECONFIG. E2E_KINDS names the
 * kinds of custom resources that releases of charts bring, separated by commas; E2E_PATIENCE_SECONDS is how long it waits for readiness. PULUMI_K8S_UPSERT_EXISTING_OBJECTS
 * and PULUMI_K8S_ENABLE_PATCH_FORCE are the official provider's own.
 */
const client = connect(readFileSync(process.env.KUBECONFIG ?? "", "utf8"));
const objects = new KubernetesResource(client, {
  upsert: process.env.PULUMI_K8S_UPSERT_EXISTING_OBJECTS === "true",
  force: process.env.PULUMI_K8S_ENABLE_PATCH_FORCE === "true",
  patience: Number(process.env.E2E_PATIENCE_SECONDS ?? "60"),
});
const releases = new HelmRelease(client, new Set((process.env.E2E_KINDS ?? "").split(",")));

function isRelease(urn: string): boolean {
  return urn.includes("kubernetes:helm.sh/v3:Release::");
}

void main(
  {
    version: "4.34.2",
    check: async (urn, _olds, news: Properties) => ({
      inputs: news,
      failures: isRelease(urn) ? releases.check(news) : [],
    }),
    diff: async (_id, urn, olds: Properties, news: Properties) => {
      if (!isRelease(urn)) {
        return objects.diff(olds, news);
      }
      return { changes: !isDeepStrictEqual(plain(without(olds, "status")), plain(news)) };
    },
    create: async (urn, inputs: Properties) => (isRelease(urn) ? releases.create(inputs) : objects.create(inputs)),
    update: async (id, urn, _olds, news: Properties) =>
      isRelease(urn) ? { outs: releases.outputs(news) } : objects.update(id, news),
    read: async (id, urn, props: Properties) => (isRelease(urn) ? releases.read(id, props) : objects.read(id, props)),
    delete: async (_id, urn, props: Properties) => (isRelease(urn) ? releases.delete(props) : objects.delete(props)),
  },
  process.argv.slice(2),
);

function without(properties: Properties, key: string): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name !== key));
}
