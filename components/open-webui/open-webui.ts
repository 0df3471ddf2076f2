import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { OPEN_WEBUI_NAMESPACE } from "../../names/namespaces";
import type { Cluster } from "../core/cluster";
import type { HardenedContainer } from "../core/hardened-pod";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable, volumeClaimSpec } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { Workload } from "../core/workload";
import { ENVOY_ARGUMENTS } from "../node/envoy-arguments";
import type { StoreFolder } from "../storage/model-store";
import { backup } from "./backup";
import { gatewayLinkConfig, SYSTEM_AUTHORITIES } from "./gateway-link";
import { DATA_FOLDER, OPEN_WEBUI, OPEN_WEBUI_PORT, SECRET_VARIABLES } from "./names";
import { type PageSettings, pageVariables } from "./variables";

export interface OpenWebUiArgs extends PageSettings {
  readonly gateway: {
    /** Name that its certificate is for. */
    readonly hostname: string;
    /** CAs, PEM. @default system CAs */
    readonly authorities?: string;
    /** Key of the page's consumer. */
    readonly consumerKey: pulumi.Input<string>;
  };
  /** CAs of the issuer, PEM. @default those of the image */
  readonly issuerAuthorities?: string;
  /** Secret of `signIn.clientId`. @default none: PKCE alone */
  readonly clientSecret?: pulumi.Input<string>;
  /** Volume of the database and of uploaded files, GiB. */
  readonly storageGiB: number;
  readonly cluster: Pick<Cluster, "storageClass" | "volumesGrow">;
  /** Protects the volume from deletion. */
  readonly protect: boolean;
  /** Folder in the model store for copies. */
  readonly copies: StoreFolder;
}

/** The Secret of the page, as variables. */
const SECRET = "open-webui";
const DATA = "open-webui-data";
const SETTINGS = "open-webui";
const SETTINGS_FOLDER = "/etc/open-webui";
const FILES = { link: "envoy.json", gateway: "gateway.pem", issuer: "issuer.pem" } as const;

/**
 * A client of the gateway with its own key and limits. One pod, because SQLite allows one writer.
 */
export class OpenWebUi extends PlatformComponent {
  readonly address: string;
  /** Command that prints the password of the first administrator. */
  readonly adminPassword: string;

  constructor(name: string, args: OpenWebUiArgs, opts?: pulumi.ComponentResourceOptions) {
    super("open-webui:OpenWebUi", name, opts);
    const { namespace } = new IsolatedNamespace(
      this.child("namespace"),
      { namespace: OPEN_WEBUI_NAMESPACE, keep: args.protect },
      this.childOptions(),
    );
    const metadata = (objectName: string) => ({
      name: objectName,
      namespace,
      labels: standardLabels(OPEN_WEBUI, OPEN_WEBUI),
    });
    const content = this.secrets(args);
    const secret = new kubernetes.core.v1.Secret(
      this.child("secret"),
      { metadata: metadata(SECRET), stringData: pulumi.secret(content) },
      this.childOptions(),
    );
    const files = settingsFiles(args);
    const settings = new kubernetes.core.v1.ConfigMap(
      this.child("settings"),
      { metadata: metadata(SETTINGS), data: files },
      this.childOptions(),
    );
    const data = new kubernetes.core.v1.PersistentVolumeClaim(
      this.child("data"),
      { metadata: metadata(DATA), spec: volumeClaimSpec(args.storageGiB, args.cluster.storageClass) },
      this.childOptions<pulumi.CustomResourceOptions>({
        protect: args.protect,
        retainOnDelete: args.protect,
        ...(!args.cluster.volumesGrow && { ignoreChanges: ["spec.resources.requests.storage"] }),
      }),
    );
    const claimName = named(data, DATA);
    new Workload(
      this.child("page"),
      {
        namespace,
        app: OPEN_WEBUI,
        instance: OPEN_WEBUI,
        ports: [{ name: "http", port: OPEN_WEBUI_PORT }],
        podAnnotations: { [ANNOTATIONS.configHash]: hashOf(files), ...secretVersion(secret, content) },
        controller: { kind: "StatefulSet" },
        pod: {
          priorityClassName: PRIORITY.serving.name,
          volumes: [
            { name: "data", persistentVolumeClaim: { claimName } },
            { name: "settings", configMap: { name: named(settings, SETTINGS) } },
          ],
          initContainers: [linkContainer()],
          containers: [pageContainer(args, named(secret, SECRET), Object.keys(content))],
        },
      },
      this.childOptions(),
    );
    const { storageGiB, copies } = args;
    backup(this.child("backup"), { namespace, claimName, storageGiB, copies }, this.childOptions());

    this.address = args.address;
    this.adminPassword = `kubectl -n ${OPEN_WEBUI_NAMESPACE} get secret ${SECRET} -o jsonpath='{.data.${SECRET_VARIABLES.adminPassword}}' | base64 -d`;
    this.registerOutputs({ address: this.address, adminPassword: this.adminPassword });
  }

  private secrets({ gateway, clientSecret }: OpenWebUiArgs): Record<string, pulumi.Input<string>> {
    const made = (suffix: string, length: number) =>
      new random.RandomPassword(this.child(suffix), { length, special: false }, this.childOptions()).result;
    return {
      [SECRET_VARIABLES.adminPassword]: made("admin-password", 24),
      // Signs sessions and encrypts the issuer's tokens: a new one signs everybody out.
      [SECRET_VARIABLES.sessionKey]: made("session-key", 48),
      [SECRET_VARIABLES.consumerKey]: gateway.consumerKey,
      ...(clientSecret !== undefined && { [SECRET_VARIABLES.clientSecret]: clientSecret }),
    };
  }
}

/** Files of both containers. */
function settingsFiles({
  gateway: { hostname, authorities },
  issuerAuthorities,
}: OpenWebUiArgs): Record<string, string> {
  const link = gatewayLinkConfig({
    hostname,
    authorities: authorities === undefined ? SYSTEM_AUTHORITIES : `${SETTINGS_FOLDER}/${FILES.gateway}`,
  });
  return {
    [FILES.link]: JSON.stringify(link),
    ...(authorities !== undefined && { [FILES.gateway]: authorities }),
    ...(issuerAuthorities !== undefined && { [FILES.issuer]: issuerAuthorities }),
  };
}

const SETTINGS_MOUNT = { name: "settings", mountPath: SETTINGS_FOLDER, readOnly: true };

/** A native sidecar starts before the page. */
function linkContainer(): HardenedContainer {
  return {
    name: "gateway-link",
    restartPolicy: "Always",
    image: image("envoy-node"),
    command: ["envoy"],
    args: ["--config-path", `${SETTINGS_FOLDER}/${FILES.link}`, ...ENVOY_ARGUMENTS],
    volumeMounts: [SETTINGS_MOUNT],
    resources: burstable(
      { cpu: 0.05, memoryGiB: 0.0625, ephemeralStorageGiB: 0.0625 },
      { cpu: 0.5, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
    ),
  };
}

function pageContainer(args: OpenWebUiArgs, secretName: pulumi.Input<string>, secrets: string[]): HardenedContainer {
  const probe = (path: string) => ({ httpGet: { path, port: "http" }, periodSeconds: 10, timeoutSeconds: 5 });
  return {
    name: "page",
    image: image("open-webui"),
    ports: [{ name: "http", containerPort: OPEN_WEBUI_PORT }],
    env: [
      ...Object.entries(pageVariables(args, DATA_FOLDER)).map(([name, value]) => ({ name, value })),
      ...secrets.map((key) => ({ name: key, valueFrom: { secretKeyRef: { name: secretName, key } } })),
      // Of the image's user, who has no home here.
      { name: "HOME", value: "/tmp" },
      ...(args.issuerAuthorities === undefined
        ? []
        : [{ name: "SSL_CERT_FILE", value: `${SETTINGS_FOLDER}/${FILES.issuer}` }]),
    ],
    volumeMounts: [{ name: "data", mountPath: DATA_FOLDER }, SETTINGS_MOUNT],
    writablePaths: ["/tmp"],
    resources: burstable({ cpu: 0.25, memoryGiB: 0.75 }, { cpu: 2, memoryGiB: 2 }),
    // The first start makes the database.
    startupProbe: { ...probe("/ready"), periodSeconds: 5, failureThreshold: 60 },
    livenessProbe: { ...probe("/health"), failureThreshold: 6 },
    readinessProbe: probe("/ready"),
  };
}
