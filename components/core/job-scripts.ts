import { createHash } from "node:crypto";
import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { shippedText } from "../../names/shipped-file";
import { named } from "./known";

export const SCRIPT_FOLDER = "/scripts";

export interface JobScriptsArgs {
  readonly namespace: pulumi.Input<string>;
  readonly name: string;
  /** Script folder, relative to the repository root. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Volume name, for pods with several script volumes. @default "scripts" */
  readonly volume?: string;
}

export interface JobScripts {
  readonly volume: kubernetes.types.input.core.v1.Volume;
  readonly mount: kubernetes.types.input.core.v1.VolumeMount;
  /** Content hash for pod annotations: a change runs the Job again or restarts pods. */
  readonly hash: string;
}

/** Shell for `mc`, TypeScript for Node 24, which strips types. */
export function jobScripts(logicalName: string, args: JobScriptsArgs, opts: pulumi.CustomResourceOptions): JobScripts {
  const data = Object.fromEntries(args.files.map((file) => [file, shippedText(`${args.folder}/${file}`)]));
  const configMap = new kubernetes.core.v1.ConfigMap(
    logicalName,
    { metadata: { name: args.name, namespace: args.namespace, labels: standardLabels("scripts", args.name) }, data },
    opts,
  );
  const { volume = "scripts" } = args;
  return {
    volume: { name: volume, configMap: { name: named(configMap, args.name) } },
    mount: { name: volume, mountPath: SCRIPT_FOLDER, readOnly: true },
    hash: hashOf(data),
  };
}

export function scriptPath(file: string): string {
  return `${SCRIPT_FOLDER}/${file}`;
}

/** Short hash of plain data for pod annotations. Never of secrets. */
export function hashOf(data: unknown): string {
  return createHash("sha256").update(JSON.stringify(data)).digest("hex").slice(0, 16);
}
