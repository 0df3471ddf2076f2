import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { hashOf } from "./job-scripts";
import { named } from "./known";

export interface ConfigFile {
  readonly volume: { readonly name: string; readonly configMap: { readonly name: pulumi.Input<string> } };
  /** Content hash: a change restarts pods that have it as annotation. */
  readonly hash: string;
}

/** A ConfigMap with one JSON file, also valid YAML, and its volume. */
export function configFile(
  logicalName: string,
  args: {
    readonly name: string;
    readonly namespace: pulumi.Input<string>;
    readonly file: string;
    readonly content: object;
  },
  opts: pulumi.CustomResourceOptions,
): ConfigFile {
  const { name, namespace, file, content } = args;
  const data = { [file]: `${JSON.stringify(content, undefined, 2)}\n` };
  const configMap = new kubernetes.core.v1.ConfigMap(
    logicalName,
    { metadata: { name, namespace, labels: standardLabels(name, name) }, data },
    opts,
  );
  return { volume: { name: "config", configMap: { name: named(configMap, name) } }, hash: hashOf(data) };
}
