import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { standardLabels } from "../../names/labels";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable, volumeClaimSpec } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { Workload } from "../core/workload";
import { SERVER_CERTIFICATE_SECRET } from "./store-certificates";
import { randomKeys } from "./store-keys";
import { MODEL_STORE_SERVICE, modelStorePods } from "./store-layout";

/** Secret with `user` and `password` of the administrator. */
const ROOT_SECRET = "minio-root";
const ROOT_FOLDER = "/etc/minio-root";
/** Files with the administrator's name and password, where `rootFiles` is mounted. */
export const ROOT_FILES = { user: `${ROOT_FOLDER}/user`, password: `${ROOT_FOLDER}/password` } as const;

const DATA = `${MODEL_STORE_SERVICE}-data`;
const DATA_FOLDER = "/data";
const CERTIFICATE_FOLDER = "/certs";

export interface MinioServerArgs {
  readonly namespace: pulumi.Input<string>;
  /** Volume for all models, GiB. */
  readonly sizeGiB: number;
  /** @default the cluster's default class */
  readonly storageClass: string | undefined;
  /** Follow `sizeGiB` when it grows. Otherwise the size that the volume was made with stays. */
  readonly volumeGrows: boolean;
  /** Refuse to delete the store, and keep its volume when it is deleted all the same. */
  readonly protect: boolean;
}

/**
 * The store's server on one volume, over TLS: Silo, the maintained fork of MinIO (docs/decisions has why). It speaks
 * MinIO's interfaces and reads MinIO's volumes, so its names stay. One server is enough: everything in it can be copied
 * again from its source, and running engines do not need it. Nothing depends on the server but this file and the
 * provisioning Job, the rest speaks S3.
 */
export class MinioServer extends PlatformComponent {
  readonly workload: Workload;

  constructor(name: string, args: MinioServerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("storage:MinioServer", name, opts);
    const labels = standardLabels("minio", MODEL_STORE_SERVICE);
    const { accessKey, secretKey } = randomKeys(
      { accessKey: this.child("root-user"), secretKey: this.child("root-password") },
      this.childOptions(),
    );
    const content = { user: accessKey, password: secretKey };
    const root = new kubernetes.core.v1.Secret(
      this.child("root"),
      {
        metadata: { name: ROOT_SECRET, namespace: args.namespace, labels },
        stringData: content,
      },
      this.childOptions(),
    );
    const rootKeys = rootFiles();
    // A claim of its own: as the set's template it could not grow, and a larger plan would throw the store away.
    const data = new kubernetes.core.v1.PersistentVolumeClaim(
      this.child("data"),
      {
        metadata: { name: DATA, namespace: args.namespace, labels },
        spec: volumeClaimSpec(args.sizeGiB, args.storageClass),
      },
      this.childOptions<pulumi.CustomResourceOptions>({
        protect: args.protect,
        retainOnDelete: args.protect,
        ...(!args.volumeGrows && { ignoreChanges: ["spec.resources.requests.storage"] }),
      }),
    );
    const probe = (path: string) => ({
      httpGet: { path, port: "s3", scheme: "HTTPS" },
      periodSeconds: 10,
      timeoutSeconds: 5,
    });

    this.workload = new Workload(
      this.child("server"),
      {
        namespace: args.namespace,
        app: "minio",
        instance: MODEL_STORE_SERVICE,
        ports: [{ name: "s3", port: modelStorePods.port }],
        podAnnotations: secretVersion(root, content),
        controller: { kind: "StatefulSet" },
        pod: {
          priorityClassName: PRIORITY.platform.name,
          terminationGracePeriodSeconds: 60,
          volumes: [
            { name: "data", persistentVolumeClaim: { claimName: named(data, DATA) } },
            rootKeys.volume,
            {
              name: "certificates",
              secret: {
                secretName: SERVER_CERTIFICATE_SECRET,
                // Names that MinIO looks for; it reloads them when cert-manager renews.
                items: [
                  { key: "tls.crt", path: "public.crt" },
                  { key: "tls.key", path: "private.key" },
                  { key: "ca.crt", path: "CAs/ca.crt" },
                ],
              },
            },
          ],
          containers: [
            {
              name: "minio",
              image: image("model-store"),
              args: ["server", DATA_FOLDER, "--address", `:${modelStorePods.port}`, "--certs-dir", CERTIFICATE_FOLDER],
              ports: [{ name: "s3", containerPort: modelStorePods.port }],
              env: [
                { name: "MINIO_ROOT_USER_FILE", value: ROOT_FILES.user },
                { name: "MINIO_ROOT_PASSWORD_FILE", value: ROOT_FILES.password },
                { name: "MINIO_BROWSER", value: "off" },
                { name: "MINIO_UPDATE", value: "off" },
                // Every model's pods reach this port, and metrics name what the others hold.
                { name: "MINIO_PROMETHEUS_AUTH_TYPE", value: "jwt" },
                { name: "HOME", value: "/tmp" },
              ],
              volumeMounts: [
                { name: "data", mountPath: DATA_FOLDER },
                rootKeys.mount,
                { name: "certificates", mountPath: CERTIFICATE_FOLDER, readOnly: true },
              ],
              writablePaths: ["/tmp"],
              // TLS of a 10 Gbit/s link takes some four cores, but only while engines start.
              resources: burstable({ cpu: 0.25, memoryGiB: 1 }, { cpu: 4, memoryGiB: 4 }),
              startupProbe: { ...probe("/minio/health/live"), failureThreshold: 30 },
              livenessProbe: probe("/minio/health/live"),
              readinessProbe: probe("/minio/health/ready"),
            },
          ],
        },
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}

/** Volume and mount of the administrator's name and password, for the server and what sets it up. */
export function rootFiles(): {
  readonly volume: kubernetes.types.input.core.v1.Volume;
  readonly mount: kubernetes.types.input.core.v1.VolumeMount;
} {
  return {
    // Named keys must exist for a pod to start: without these files the server would run with its well-known defaults.
    volume: { name: "root", secret: { secretName: ROOT_SECRET, items: [asFile("user"), asFile("password")] } },
    mount: { name: "root", mountPath: ROOT_FOLDER, readOnly: true },
  };
}

function asFile(key: string): kubernetes.types.input.core.v1.KeyToPath {
  return { key, path: key };
}
