import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import { named } from "../core/known";

/**
 * Name of the ConfigMap in a model's namespace: keys `sha256` (of the manifest) and `commit` (of the repository), and the
 * same of each adapter, with its name before them: `contracts.sha256`.
 */
export const MANIFEST_PIN = "weights-manifest";

/** Folder with what was reported, where `pinFile` is mounted: a file for each key. */
export const PIN_FOLDER = "/etc/weights-manifest";
/** File in it with the SHA-256 of the model's own manifest. */
export const PIN_FILE = `${PIN_FOLDER}/sha256`;

export interface ManifestPinArgs {
  readonly model: string;
  /** The model's namespace. */
  readonly namespace: pulumi.Input<string>;
  /** Account of the model's sync Job: the only one that may write here. */
  readonly writer: { readonly namespace: string; readonly serviceAccount: string };
}

/** What must be there before the Job can report. */
export interface ManifestPin {
  readonly ready: readonly pulumi.Resource[];
}

/**
 * What the model's sync Job copied, kept outside of the bucket: the hash of the manifest, which holds the hash of each
 * file. A writer of the bucket cannot make an engine take other files. The hash is known only after the first
 * sync, so the Job sets it, by a right on this one object.
 */
export function manifestPin(name: string, args: ManifestPinArgs, opts: OptionsOfGone): ManifestPin {
  const options = { ...opts, aliases: childrenOfGone("storage:ManifestPin", name, opts) };
  const labels = standardLabels(MANIFEST_PIN, args.model, { [MODEL_LABEL]: args.model });
  const metadata = { name: MANIFEST_PIN, namespace: args.namespace, labels };
  const configMap = new kubernetes.core.v1.ConfigMap(
    `${name}-hash`,
    { metadata },
    pulumi.mergeOptions(options, { ignoreChanges: ["data"] }),
  );
  const role = new kubernetes.rbac.v1.Role(
    `${name}-role`,
    {
      metadata,
      rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: [MANIFEST_PIN], verbs: ["patch"] }],
    },
    options,
  );
  const { namespace, serviceAccount } = args.writer;
  const binding = new kubernetes.rbac.v1.RoleBinding(
    `${name}-binding`,
    {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: named(role, MANIFEST_PIN) },
      subjects: [{ kind: "ServiceAccount", name: serviceAccount, namespace }],
    },
    options,
  );
  return { ready: [configMap, binding] };
}

/** Volume and mount that put the hash at `PIN_FILE` as soon as the Job has set it. */
export function pinFile(): {
  readonly volume: kubernetes.types.input.core.v1.Volume;
  readonly mount: kubernetes.types.input.core.v1.VolumeMount;
} {
  return {
    volume: { name: MANIFEST_PIN, configMap: { name: MANIFEST_PIN } },
    mount: { name: MANIFEST_PIN, mountPath: PIN_FOLDER, readOnly: true },
  };
}
