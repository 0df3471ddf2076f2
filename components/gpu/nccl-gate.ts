import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, HOST_NETWORK_LABEL, standardLabels } from "../../names/labels";
import type { PoolPlan } from "../../planner/types";
import type { PoolsReady } from "../core/cluster";
import type { GpuAccessByVendor } from "../core/gpu-access";
import { type HardenedPodArgs, hardenedPodSpec } from "../core/hardened-pod";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { runToCompletion } from "../core/job";
import { hashOf, type JobScripts, jobScripts, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { type TrialMounts, trialFiles, trialTemplate } from "./fabric-trial";
import { gateSettings, SECONDS } from "./gate-settings";
import {
  CERTIFIER_ACCOUNT,
  CERTIFIER_APP,
  type GatedPool,
  gatedPools,
  gateNamespace,
  gateNamespaces,
  TRIAL_APP,
  TRIAL_PRIORITY,
  TRIAL_SERVICE,
  trialLabels,
} from "./names";
import { nodePatchPolicy } from "./node-patch-policy";
import { trialKeysSecret } from "./trial-keys";
import { trialPolicy } from "./trial-policy";

/** What a certifier runs from. */
export const CERTIFIER_SCRIPTS = [
  "certify.ts",
  "api.ts",
  "lease.ts",
  "nodes.ts",
  "rounds.ts",
  "settings.ts",
  "trials.ts",
  "verdict.ts",
];
const SCRIPT_FOLDER = "components/gpu/scripts";

const TRIAL_FILES = "trial-files";

/** Of all that a certifier does after its nodes are there: two rounds of trials at most take their whole time. */
const TRIALS_SECONDS = 2 * (SECONDS.schedule + SECONDS.pull + SECONDS.run);

export interface FabricGatesArgs {
  readonly pools: readonly PoolPlan[];
  readonly gpuAccess?: GpuAccessByVendor;
  /** What the trials of a pool wait for: its nodes, and their devices. */
  readonly poolsReady: PoolsReady;
}

/**
 * No model comes to nodes whose RDMA network was not tried (docs/fabric-gate.md): of each gated pool a Job, which the deployment
 * waits for, and a CronJob for nodes that come later. Both run the same certifier, which tries nodes two at a time and takes
 * their taint away.
 */
export class FabricGates extends PlatformComponent {
  private readonly first = new Map<string, kubernetes.batch.v1.Job>();

  constructor(name: string, args: FabricGatesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gpu:FabricGates", name, opts);
    const pools = gatedPools(args.pools);
    const namespaces = gateNamespaces(args.pools);
    const priority = this.priority();
    const guards = [
      ...nodePatchPolicy(this.child("nodes"), args.pools, this.childOptions()),
      ...trialPolicy(this.child("trials"), args.pools, this.childOptions()),
    ];
    const homes = new Map(namespaces.map((namespace) => [namespace, this.home(namespace, [...guards, priority])]));
    for (const pool of pools) {
      const home = homes.get(gateNamespace(pool));
      if (home) {
        this.first.set(pool.name, this.gate(pool, home, args));
      }
    }
    this.registerOutputs({});
  }

  /** What the models of a pool wait for: nothing where it is not gated. */
  readyFor(pool: string): pulumi.Resource[] {
    const job = this.first.get(pool);
    return job ? [job] : [];
  }

  private priority(): pulumi.Resource {
    return new kubernetes.scheduling.v1.PriorityClass(
      this.child("priority"),
      {
        metadata: { name: TRIAL_PRIORITY, labels: standardLabels("priority", TRIAL_PRIORITY) },
        value: 50_000,
        preemptionPolicy: "Never",
        description: "Trials of RDMA networks: they wait for free nodes, and give way to models",
        globalDefault: false,
      },
      this.childOptions(),
    );
  }

  /** What all gates of a namespace share. */
  private home(namespaceName: string, guards: pulumi.Resource[]): Home {
    // Names of what the first namespace has are as if there were no second.
    const child = (suffix: string) => this.child(namespaceName === "fabric-gate" ? suffix : `host-${suffix}`);
    const { namespace } = new IsolatedNamespace(child("space"), { namespace: namespaceName }, this.childOptions());
    const options = this.childOptions();
    const metadata = (name: string) => ({ name, namespace, labels: standardLabels(CERTIFIER_APP, name) });
    const account = new kubernetes.core.v1.ServiceAccount(
      child("account"),
      { metadata: metadata(CERTIFIER_ACCOUNT), automountServiceAccountToken: false },
      options,
    );
    const subjects = [{ kind: "ServiceAccount", name: named(account, CERTIFIER_ACCOUNT), namespace }];
    const role = new kubernetes.rbac.v1.Role(
      child("role"),
      {
        metadata: metadata(CERTIFIER_ACCOUNT),
        rules: [
          { apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "list", "delete"] },
          { apiGroups: ["batch"], resources: ["cronjobs"], verbs: ["get"] },
          { apiGroups: [""], resources: ["pods"], verbs: ["list"] },
          { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
        ],
      },
      // What a Job may be, a policy says.
      this.childOptions({ dependsOn: guards }),
    );
    const binding = new kubernetes.rbac.v1.RoleBinding(
      child("binding"),
      {
        metadata: metadata(CERTIFIER_ACCOUNT),
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: named(role, CERTIFIER_ACCOUNT) },
        subjects,
      },
      options,
    );
    const nodesName = `inference-${namespaceName}-certifier`;
    const nodesMetadata = { name: nodesName, labels: standardLabels(CERTIFIER_APP, nodesName) };
    const nodes = new kubernetes.rbac.v1.ClusterRole(
      child("nodes"),
      {
        metadata: nodesMetadata,
        // What a patch may change, the policy says.
        rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "patch"] }],
      },
      this.childOptions({ dependsOn: guards }),
    );
    const nodesBinding = new kubernetes.rbac.v1.ClusterRoleBinding(
      child("nodes-binding"),
      {
        metadata: nodesMetadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: named(nodes, nodesName) },
        subjects,
      },
      options,
    );
    const service = new kubernetes.core.v1.Service(
      child("trials"),
      {
        metadata: { ...metadata(TRIAL_SERVICE), labels: standardLabels(TRIAL_APP, TRIAL_SERVICE) },
        spec: {
          clusterIP: "None",
          // The pods of a trial look for each other before they are ready.
          publishNotReadyAddresses: true,
          selector: { "app.kubernetes.io/name": TRIAL_APP },
        },
      },
      options,
    );
    const files = new kubernetes.core.v1.ConfigMap(
      child("files"),
      { metadata: metadata(TRIAL_FILES), data: trialFiles() },
      options,
    );
    const trialScript = jobScripts(
      child("trial-script"),
      { namespace, name: "trial-script", folder: SCRIPT_FOLDER, files: ["trial.sh"] },
      options,
    );
    const certifier = jobScripts(
      child("certifier-scripts"),
      { namespace, name: "certifier-scripts", folder: SCRIPT_FOLDER, files: CERTIFIER_SCRIPTS },
      options,
    );
    return {
      namespace,
      child,
      account: named(account, CERTIFIER_ACCOUNT),
      certifier,
      trial: {
        files: named(files, TRIAL_FILES),
        scripts: trialScript.volume,
        scriptsMount: trialScript.mount,
        keys: trialKeysSecret(child, namespace, this.childOptions()),
      },
      hash: hashOf([certifier.hash, trialScript.hash, trialFiles()]),
      ready: [binding, nodesBinding, service, files],
    };
  }

  private gate(pool: GatedPool, home: Home, args: FabricGatesArgs): kubernetes.batch.v1.Job {
    const child = (suffix: string) => home.child(`${pool.name}-${suffix}`);
    const { namespace } = home;
    const { gpuAccess = {}, poolsReady } = args;
    const trial = trialTemplate(pool, home.trial, gpuAccess[pool.shape.gpu?.vendor ?? "nvidia"]);
    const labels = trialLabels(pool.name);
    const template = new kubernetes.batch.v1.CronJob(
      child("trial"),
      {
        metadata: {
          name: `trial-${pool.name}`,
          namespace,
          labels: { ...standardLabels(TRIAL_APP, pool.name), ...hostLabel(pool) },
          annotations: {
            [ANNOTATIONS.description]: "Template of trials: certifiers make Jobs of it, nothing else does",
          },
        },
        spec: {
          suspend: true,
          schedule: "0 0 1 1 *",
          // Where somebody lets it go by mistake, it makes up for no time that is past.
          startingDeadlineSeconds: 240,
          jobTemplate: {
            metadata: { labels: { ...labels } },
            spec: {
              completionMode: "Indexed",
              completions: 2,
              parallelism: 2,
              backoffLimit: 0,
              // A certifier that ends in the middle leaves its trials to the next one; without one they end by this.
              activeDeadlineSeconds: SECONDS.schedule + SECONDS.pull + SECONDS.run,
              template: { metadata: { labels: { ...labels }, annotations: trial.annotations }, spec: trial.spec },
            },
          },
        },
      },
      this.childOptions({ dependsOn: [...home.ready, ...(poolsReady[pool.name] ?? [])] }),
    );
    const settings = gateSettings(pool);
    const gate = new kubernetes.core.v1.ConfigMap(
      child("settings"),
      {
        metadata: { name: `gate-${pool.name}`, namespace, labels: standardLabels(CERTIFIER_APP, pool.name) },
        data: { "gate.json": JSON.stringify(settings) },
      },
      this.childOptions(),
    );
    const later = new kubernetes.batch.v1.CronJob(
      child("later"),
      {
        metadata: {
          name: `certify-${pool.name}-later`,
          namespace,
          labels: standardLabels(CERTIFIER_APP, `${pool.name}-later`),
        },
        spec: {
          schedule: "*/5 * * * *",
          concurrencyPolicy: "Forbid",
          startingDeadlineSeconds: 240,
          successfulJobsHistoryLimit: 1,
          failedJobsHistoryLimit: 3,
          jobTemplate: {
            spec: {
              // Who failed once is tried again by the next run, at its time.
              backoffLimit: 0,
              activeDeadlineSeconds: TRIALS_SECONDS,
              template: {
                metadata: { labels: standardLabels(CERTIFIER_APP, `${pool.name}-later`) },
                spec: hardenedPodSpec({
                  ...certifierPod("later", home, named(gate, `gate-${pool.name}`)),
                  restartPolicy: "Never",
                }),
              },
            },
          },
        },
      },
      this.childOptions({ dependsOn: [template] }),
    );
    return runToCompletion(
      child("first"),
      {
        namespace,
        app: CERTIFIER_APP,
        instance: `certify-${pool.name}`,
        podAnnotations: {
          [ANNOTATIONS.configHash]: hashOf([home.hash, settings, trial.annotations, fixed(trial.spec)]),
        },
        // The second attempt is for what is no fault of the nodes.
        retries: 1,
        deadlineSeconds: SECONDS.ready + TRIALS_SECONDS,
        dependsOn: [template, later],
        pod: certifierPod("first", home, named(gate, `gate-${pool.name}`)),
      },
      this.childOptions(),
    );
  }
}

/** What the gates of one namespace have in common. */
interface Home {
  readonly namespace: pulumi.Output<string>;
  /** Logical name of a resource. */
  readonly child: (suffix: string) => string;
  readonly account: pulumi.Input<string>;
  readonly certifier: JobScripts;
  readonly trial: TrialMounts;
  /** Of all scripts and files. */
  readonly hash: string;
  readonly ready: pulumi.Resource[];
}

function certifierPod(mode: "first" | "later", home: Home, settings: pulumi.Input<string>): HardenedPodArgs {
  return {
    serviceAccountName: home.account,
    usesKubernetesApi: true,
    priorityClassName: PRIORITY.batch.name,
    // It takes its trials away when it is told to leave.
    terminationGracePeriodSeconds: 60,
    volumes: [home.certifier.volume, { name: "gate", configMap: { name: settings } }],
    containers: [
      {
        name: "certifier",
        image: image("node"),
        command: ["node", scriptPath("certify.ts"), mode],
        resources: burstable({ cpu: 0.05, memoryGiB: 0.125 }, { cpu: 1, memoryGiB: 0.5 }),
        volumeMounts: [home.certifier.mount, { name: "gate", mountPath: "/gate", readOnly: true }],
      },
    ],
  };
}

/** Says that the template's pods ask for more than `restricted` (names/pod-security.ts). */
function hostLabel({ name, fabric }: GatedPool): Record<string, string> {
  return fabric.access === "host-network" ? { [HOST_NETWORK_LABEL]: name } : {};
}

/** What of a pod is known before anything is deployed. */
function fixed({ containers }: ReturnType<typeof trialTemplate>["spec"]): unknown {
  return (containers as readonly { readonly image: unknown; readonly env: unknown; readonly resources: unknown }[]).map(
    ({ image: of, env, resources }) => [of, env, resources],
  );
}
