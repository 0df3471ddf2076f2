import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import { runToCompletion } from "../core/job";
import { hashOf, jobScripts, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { ROOT_FILES, rootFiles } from "./minio-server";
import { caFile, SERVER_CERTIFICATE_SECRET } from "./store-certificates";
import { mcEnvironment } from "./store-client";
import type { StoreKeys } from "./store-keys";
import { type AccessPolicy, MODEL_STORE_HOST, modelStorePods } from "./store-layout";

const POLICIES = "store-policies";
const USERS = "store-users";
const USERS_FOLDER = "/users";
const POLICIES_FOLDER = "/policies";

export interface StoreUser {
  readonly keys: StoreKeys;
  readonly policy: AccessPolicy;
}

export interface StoreProvisioningArgs {
  readonly namespace: pulumi.Input<string>;
  readonly bucket: string;
  /** By role, which names the user's policy. */
  readonly users: Readonly<Record<string, StoreUser>>;
  /** The server, which must run. */
  readonly dependsOn: pulumi.Resource[];
}

/**
 * Bucket, users and policies of the store, brought about by an idempotent Job. It disables users of these roles who are
 * no longer listed: keys of removed models, and those that were replaced, open nothing.
 */
export function storeProvisioning(
  name: string,
  args: StoreProvisioningArgs,
  opts: OptionsOfGone,
): kubernetes.batch.v1.Job {
  const options = { ...opts, aliases: childrenOfGone("storage:StoreProvisioning", name, opts) };
  const labels = standardLabels("store-provisioning", "provisioning");
  const metadata = (objectName: string) => ({ name: objectName, namespace: args.namespace, labels });
  const users = Object.entries(args.users);
  const policies = Object.fromEntries(users.map(([role, { policy }]) => [`${role}.json`, JSON.stringify(policy)]));

  const policyFiles = new kubernetes.core.v1.ConfigMap(
    `${name}-policies`,
    { metadata: metadata(POLICIES), data: policies },
    options,
  );
  const content = Object.fromEntries(
    users.flatMap(([role, { keys }]) => [
      [`${role}.access-key`, keys.accessKey],
      [`${role}.secret-key`, keys.secretKey],
    ]),
  );
  const userKeys = new kubernetes.core.v1.Secret(
    `${name}-users`,
    { metadata: metadata(USERS), stringData: content },
    options,
  );
  const scripts = jobScripts(
    `${name}-scripts`,
    {
      namespace: args.namespace,
      name: "store-provisioning",
      folder: "components/storage/scripts",
      files: ["provision.sh"],
    },
    options,
  );
  const ca = caFile(SERVER_CERTIFICATE_SECRET);
  const root = rootFiles();

  return runToCompletion(
    `${name}-provision`,
    {
      namespace: args.namespace,
      app: "store-provisioning",
      instance: "provisioning",
      podAnnotations: {
        [ANNOTATIONS.configHash]: hashOf([scripts.hash, args.bucket, policies]),
        // A key that was replaced must reach the server too.
        ...secretVersion(userKeys, content),
      },
      deadlineSeconds: 600,
      dependsOn: args.dependsOn,
      pod: {
        priorityClassName: PRIORITY.platform.name,
        volumes: [
          scripts.volume,
          { name: "policies", configMap: { name: named(policyFiles, POLICIES) } },
          { name: "users", secret: { secretName: named(userKeys, USERS) } },
          root.volume,
          ca.volume,
        ],
        containers: [
          {
            name: "mc",
            // The server's own image holds mc, of the version that it was released with, and a shell; nothing else is
            // assumed.
            image: image("model-store"),
            command: ["/bin/sh", scriptPath("provision.sh")],
            env: [
              { name: "ROOT_USER_FILE", value: ROOT_FILES.user },
              { name: "ROOT_PASSWORD_FILE", value: ROOT_FILES.password },
              { name: "STORE_HOST", value: `${MODEL_STORE_HOST}:${modelStorePods.port}` },
              { name: "BUCKET", value: args.bucket },
              { name: "USERS_FOLDER", value: USERS_FOLDER },
              { name: "POLICIES_FOLDER", value: POLICIES_FOLDER },
              ...mcEnvironment(ca),
            ],
            volumeMounts: [
              scripts.mount,
              { name: "policies", mountPath: POLICIES_FOLDER, readOnly: true },
              { name: "users", mountPath: USERS_FOLDER, readOnly: true },
              root.mount,
              ca.mount,
            ],
            writablePaths: ["/tmp"],
            resources: burstable({ cpu: 0.1, memoryGiB: 0.125 }, { cpu: 1, memoryGiB: 0.5 }),
          },
        ],
      },
    },
    options,
  );
}
