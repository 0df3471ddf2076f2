import { createHash } from "node:crypto";
import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { shippedText } from "../../names/shipped-file";
import { named } from "./known";

/** Folder in the container where a Job finds its scripts. */
export const SCRIPT_FOLDER = "/scripts";

export interface JobScriptsArgs {
  readonly namespace: pulumi.Input<string>;
  /** Name of the ConfigMap. */
  readonly name: string;
  /** Folder of the scripts, relative to the repository root. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Name of the volume, where a pod has scripts of several kinds. @default "scripts" */
  readonly volume?: string;
}

/** Scripts of this repository, mounted into a container. */
export interface JobScripts {
  readonly volume: kubernetes.types.input.core.v1.Volume;
  readonly mount: kubernetes.types.input.core.v1.VolumeMount;
  /** Hash of the contents: put it into the pod's annotations, so that a change runs the Job or rolls the pods. */
  readonly hash: string;
}

/**
 * Puts script files into a ConfigMap. They are ordinary source files, checked and tested with the rest: shell
 * for `mc`, TypeScript for Node 24, which strips the types itself.
 */
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

/** Path of a script in the container. */
export function scriptPath(file: string): string {
  return `${SCRIPT_FOLDER}/${file}`;
}

/** Short hash of plain data, for annotations that roll pods. Never of secrets. */
export function hashOf(data: unknown): string {
  return createHash("sha256").update(JSON.stringify(data)).digest("hex").slice(0, 16);
}
