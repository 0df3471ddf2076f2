import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { type HardenedContainer, type HardenedPodArgs, hardenedPodSpec } from "../core/hardened-pod";
import { type JobScripts, jobScripts, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import type { StoreFolder } from "../storage/model-store";
import type { TrustedAuthority } from "../storage/store-certificates";
import { mcEnvironment } from "../storage/store-client";
import { DATA_FOLDER, OPEN_WEBUI_BACKUP, openWebUiPods } from "./names";

export interface BackupArgs {
  readonly namespace: pulumi.Input<string>;
  /** Claim of the page's data. */
  readonly claimName: pulumi.Input<string>;
  /** Of its volume. */
  readonly storageGiB: number;
  readonly copies: StoreFolder;
}

/** Suspended: users create Jobs from it. */
export const OPEN_WEBUI_RESTORE = "open-webui-restore";

const KEYS = "open-webui-store-keys";
const KEYS_FOLDER = "/etc/model-store-keys";
const COPY_FOLDER = "/copy";

/** Half past two, in the controller manager's time zone. */
const NIGHTLY = "30 2 * * *";

/** Both directions move some GiB at most. */
const DEADLINE_SECONDS = 3600;

/** Nightly copies in the model store, one per weekday, and the restore. */
export function backup(name: string, args: BackupArgs, opts: pulumi.CustomResourceOptions): void {
  const { namespace, claimName, copies } = args;
  const labels = standardLabels(OPEN_WEBUI_BACKUP, OPEN_WEBUI_BACKUP);
  const keys = new kubernetes.core.v1.Secret(
    `${name}-keys`,
    {
      metadata: { name: KEYS, namespace, labels },
      stringData: { "access-key": copies.keys.accessKey, "secret-key": copies.keys.secretKey },
    },
    opts,
  );
  const authority = copies.server.trustIn(`${name}-trust`, namespace, opts);
  const scripts = jobScripts(
    `${name}-scripts`,
    {
      namespace,
      name: OPEN_WEBUI_BACKUP,
      folder: "components/open-webui/scripts",
      files: ["back_up.py", "restore.py", "store.sh"],
    },
    opts,
  );
  const store = storeContainer(args, scripts, authority);
  const pod = { claimName, keysName: named(keys, KEYS), scripts, authority };
  cronJob(`${name}-nightly`, OPEN_WEBUI_BACKUP, args, opts, {
    ...podArgs(pod),
    // One volume, one node: where the page has it.
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { ...openWebUiPods.podLabels } }, topologyKey: "kubernetes.io/hostname" },
        ],
      },
    },
    initContainers: [pythonContainer(args, "copy", "back_up.py", scripts)],
    containers: [store("upload")],
  });
  cronJob(`${name}-restore`, OPEN_WEBUI_RESTORE, args, opts, {
    ...podArgs(pod),
    initContainers: [store("download")],
    containers: [pythonContainer(args, "unpack", "restore.py", scripts)],
  });
}

function cronJob(
  logicalName: string,
  objectName: string,
  { namespace, copies }: BackupArgs,
  opts: pulumi.CustomResourceOptions,
  pod: HardenedPodArgs,
): void {
  const labels = standardLabels(OPEN_WEBUI_BACKUP, OPEN_WEBUI_BACKUP);
  const isNightly = objectName === OPEN_WEBUI_BACKUP;
  new kubernetes.batch.v1.CronJob(
    logicalName,
    {
      metadata: {
        name: objectName,
        namespace,
        labels,
        annotations: {
          [ANNOTATIONS.description]: isNightly
            ? "Copies users, chats and files into the model store"
            : "Template of a Job that puts a copy back, with the page at no replicas (docs/open-webui.md)",
        },
      },
      spec: {
        schedule: NIGHTLY,
        suspend: !isNightly,
        concurrencyPolicy: "Forbid",
        startingDeadlineSeconds: 3600,
        successfulJobsHistoryLimit: 1,
        failedJobsHistoryLimit: 2,
        jobTemplate: {
          spec: {
            backoffLimit: 2,
            activeDeadlineSeconds: DEADLINE_SECONDS,
            template: { metadata: { labels }, spec: hardenedPodSpec({ ...pod, restartPolicy: "Never" }) },
          },
        },
      },
    },
    { ...opts, dependsOn: [...copies.server.ready] },
  );
}

function podArgs({
  claimName,
  keysName,
  scripts,
  authority,
}: {
  readonly claimName: pulumi.Input<string>;
  readonly keysName: pulumi.Input<string>;
  readonly scripts: JobScripts;
  readonly authority: TrustedAuthority | undefined;
}): Omit<HardenedPodArgs, "containers"> {
  return {
    priorityClassName: PRIORITY.batch.name,
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName } },
      { name: "copy", emptyDir: {} },
      { name: "keys", secret: { secretName: keysName } },
      scripts.volume,
      ...(authority ? [authority.volume] : []),
    ],
  };
}

/** A weekday's copy is `monday.tar` and so on. */
const COPY = { name: "COPY", value: "latest.tar" };
const COPY_ENV = [{ name: "COPY_DIR", value: COPY_FOLDER }, COPY];
const COPY_MOUNT = { name: "copy", mountPath: COPY_FOLDER };

/** The archive, and at times the database too. */
function resources({ storageGiB }: Pick<BackupArgs, "storageGiB">) {
  return burstable(
    { cpu: 0.05, memoryGiB: 0.125, ephemeralStorageGiB: 1 },
    { cpu: 1, memoryGiB: 0.5, ephemeralStorageGiB: 2 * storageGiB + 1 },
  );
}

function pythonContainer(args: BackupArgs, name: string, script: string, scripts: JobScripts): HardenedContainer {
  return {
    name,
    // The page's image, for the same SQLite.
    image: image("open-webui"),
    command: ["python3", scriptPath(script)],
    env: [{ name: "DATA_DIR", value: DATA_FOLDER }, ...COPY_ENV],
    volumeMounts: [scripts.mount, COPY_MOUNT, { name: "data", mountPath: DATA_FOLDER }],
    resources: resources(args),
  };
}

function storeContainer(args: BackupArgs, scripts: JobScripts, authority: TrustedAuthority | undefined) {
  const { bucket, prefix, server } = args.copies;
  return (way: "upload" | "download"): HardenedContainer => ({
    name: way,
    // The store's own image, which has mc.
    image: image("model-store"),
    command: ["/bin/sh", scriptPath("store.sh"), way],
    env: [
      { name: "STORE_URL", value: server.url },
      { name: "BUCKET", value: bucket },
      { name: "PREFIX", value: prefix },
      { name: "KEYS_DIR", value: KEYS_FOLDER },
      ...COPY_ENV,
      ...mcEnvironment(authority),
    ],
    volumeMounts: [
      scripts.mount,
      COPY_MOUNT,
      { name: "keys", mountPath: KEYS_FOLDER, readOnly: true },
      ...(authority ? [authority.mount] : []),
    ],
    writablePaths: ["/tmp"],
    resources: resources(args),
  });
}
