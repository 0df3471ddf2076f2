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

/** Time limit after the nodes are ready: at most two rounds of trials use their full time. */
const TRIALS_SECONDS = 2 * (SECONDS.schedule + SECONDS.pull + SECONDS.run);

export interface FabricGatesArgs {
  readonly pools: readonly PoolPlan[];
  readonly gpuAccess?: GpuAccessByVendor;
  /** Prerequisites of a pool's trials: its nodes and devices. */
  readonly poolsReady: PoolsReady;
}

/**
 * Keeps models off nodes with an untested RDMA network (docs/fabric-gate.md). A gated pool has a
 * Job that the deployment waits for, and a CronJob for later nodes. Both test nodes in pairs and
 * remove their taint.
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

  /** Prerequisites of a pool's models; empty if not gated. */
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

  private home(namespaceName: string, guards: pulumi.Resource[]): Home {
    // Logical names of the first namespace do not depend on the second.
    const child = (suffix: string) => this.child(namespaceName === "fabric-gate" ? suffix : `host-${suffix}`);
    const options = this.childOptions();
    const nodesName = `inference-${namespaceName}-certifier`;
    const nodesMetadata = { name: nodesName, labels: standardLabels(CERTIFIER_APP, nodesName) };
    const nodes = new kubernetes.rbac.v1.ClusterRole(
      child("nodes"),
      {
        metadata: nodesMetadata,
        // The policy restricts patches.
        rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "patch"] }],
      },
      this.childOptions({ dependsOn: guards }),
    );
    const { namespace, bindings } = new IsolatedNamespace(
      child("space"),
      {
        namespace: namespaceName,
        accounts: [
          {
            account: CERTIFIER_ACCOUNT,
            role: named(nodes, nodesName),
            logicalName: child("nodes-binding"),
            metadata: nodesMetadata,
          },
        ],
      },
      options,
    );
    const metadata = (name: string) => ({ name, namespace, labels: standardLabels(CERTIFIER_APP, name) });
    const account = new kubernetes.core.v1.ServiceAccount(
      child("account"),
      { metadata: metadata(CERTIFIER_ACCOUNT), automountServiceAccountToken: false },
      options,
    );
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
      // The policy restricts Jobs.
      this.childOptions({ dependsOn: guards }),
    );
    const binding = new kubernetes.rbac.v1.RoleBinding(
      child("binding"),
      {
        metadata: metadata(CERTIFIER_ACCOUNT),
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: named(role, CERTIFIER_ACCOUNT) },
        subjects: [{ kind: "ServiceAccount", name: named(account, CERTIFIER_ACCOUNT), namespace }],
      },
      options,
    );
    const service = new kubernetes.core.v1.Service(
      child("trials"),
      {
        metadata: { ...metadata(TRIAL_SERVICE), labels: standardLabels(TRIAL_APP, TRIAL_SERVICE) },
        spec: {
          clusterIP: "None",
          // Trial pods resolve each other before they are ready.
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
      ready: [binding, ...bindings, service, files],
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
          // If unsuspended by mistake, missed runs are not caught up.
          startingDeadlineSeconds: 240,
          jobTemplate: {
            metadata: { labels: { ...labels } },
            spec: {
              completionMode: "Indexed",
              completions: 2,
              parallelism: 2,
              backoffLimit: 0,
              // The next certifier removes trials of an interrupted one; without one, this deadline
              // ends them.
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
              // The next scheduled run retries failed nodes.
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
        // The second attempt covers failures unrelated to nodes.
        retries: 1,
        deadlineSeconds: SECONDS.ready + TRIALS_SECONDS,
        dependsOn: [template, later],
        pod: certifierPod("first", home, named(gate, `gate-${pool.name}`)),
      },
      this.childOptions(),
    );
  }
}

interface Home {
  readonly namespace: pulumi.Output<string>;
  readonly child: (suffix: string) => string;
  readonly account: pulumi.Input<string>;
  readonly certifier: JobScripts;
  readonly trial: TrialMounts;
  /** Hash of all scripts and files. */
  readonly hash: string;
  readonly ready: pulumi.Resource[];
}

function certifierPod(mode: "first" | "later", home: Home, settings: pulumi.Input<string>): HardenedPodArgs {
  return {
    serviceAccountName: home.account,
    usesKubernetesApi: true,
    priorityClassName: PRIORITY.batch.name,
    // On termination it deletes its trials.
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

/** Label for pods that need more than `restricted` (names/pod-security.ts). */
function hostLabel({ name, fabric }: GatedPool): Record<string, string> {
  return fabric.access === "host-network" ? { [HOST_NETWORK_LABEL]: name } : {};
}

/** Pod fields known before deployment. */
function fixed({ containers }: ReturnType<typeof trialTemplate>["spec"]): unknown {
  return (containers as readonly { readonly image: unknown; readonly env: unknown; readonly resources: unknown }[]).map(
    ({ image: of, env, resources }) => [of, env, resources],
  );
}
