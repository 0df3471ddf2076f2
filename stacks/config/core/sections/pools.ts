import { z } from "zod";
import { FABRIC_ACCESS } from "../../../../catalog/fabrics";
import { MOST_NODES } from "../../../../planner/request";
import { zoneName } from "./eks";
import { dnsLabel, labelKey, labelValue, text, usdPerHour, wholeNumber } from "./fields";
import { ocid } from "./oke";

const nodeSchema = z
  .strictObject({
    card: text(64).optional().meta({
      description:
        "GPU card by its catalogue name, or of any other name with gpuMemoryGiB. Leave it out for a machine without GPU.",
      example: "radeon-pro-w7900",
    }),
    gpuCount: wholeNumber(1, 16).optional().meta({
      description: "Cards in each machine. Required with card and with gpuMemoryGiB.",
      unit: "GPUs",
      example: 4,
    }),
    gpuMemoryGiB: z.number().min(1).max(1024).optional().meta({
      description:
        "Memory of one GPU as CUDA or ROCm reports it to a process (nvidia-smi shows 0.4 to 0.5 GiB more), for a card that the catalogue lacks or that has another size there. Of a card that it lacks nothing else is known: no speed is predicted, and the plan says that it may not start. Default: the catalogue's.",
      unit: "GiB",
      example: 31.7,
    }),
    gpuVendor: z.enum(["nvidia", "amd"]).optional().meta({
      description: "Vendor of a card that the catalogue lacks; only with gpuMemoryGiB. Default: nvidia.",
      example: "amd",
    }),
    vcpus: wholeNumber(1, 1024).meta({
      description: "CPUs as Kubernetes counts them: hardware threads.",
      unit: "CPUs",
      example: 32,
    }),
    memoryGiB: z.number().min(1).max(65_536).meta({ description: "Host memory.", unit: "GiB", example: 128 }),
    localNvmeGB: z
      .number()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: "Local NVMe disks in all. Default 0.", unit: "GB", example: 2000 }),
    cpuArch: z
      .enum(["amd64", "arm64"])
      .default("amd64")
      .meta({ description: "Processor architecture; arm64 for kind on an Apple computer.", example: "arm64" }),
    networkGbps: z
      .number()
      .positive()
      .max(10_000)
      .optional()
      .meta({ description: "Network interface speed. Default 1.", unit: "Gbit/s", example: 10 }),
  })
  .meta({
    description: "A machine of your own, for clusters of kind local or edge.",
    dependencies: { card: ["gpuCount"], gpuMemoryGiB: ["gpuCount"], gpuVendor: ["gpuMemoryGiB"] },
    example: { vcpus: 8, memoryGiB: 32 },
  });

/** EC2's reservation id, also of capacity blocks. */
const reservationId = z
  .string()
  .regex(/^cr-[0-9a-f]{8,17}$/)
  .meta({ allowed: 'an id such as "cr-0123456789abcdef0"', example: "cr-0123456789abcdef0" });

/** 0.5 is too unreliable to promise anything. */
const uptimeFraction = z.number().min(0.5).max(1);

export const poolSchema = z
  .strictObject({
    shape: text(64).optional().meta({
      description: "Cloud machine shape by its catalogue name. Either shape or node.",
      example: "VM.GPU.A10.1",
    }),
    node: nodeSchema.optional(),
    role: z.enum(["system", "gpu", "cpu"]).optional().meta({
      description:
        "system runs the platform itself, gpu and cpu run models. Default: gpu for machines with GPUs, else system.",
      example: "gpu",
    }),
    minNodes: wholeNumber(0, MOST_NODES).default(1).meta({
      description: "Nodes that always run; of nodes that Karpenter makes, as many as pods need and no more.",
      unit: "nodes",
      example: 1,
    }),
    maxNodes: wholeNumber(1, MOST_NODES).optional().meta({
      description:
        "Largest number of nodes when pods do not fit. OKE and EKS clusters of this stack have an autoscaler; others scale by hand or by your own. Default: minNodes, at least 1.",
      unit: "nodes",
      example: 4,
    }),
    ocpus: wholeNumber(1, 512)
      .optional()
      .meta({ description: "Size of a flexible shape; required there.", unit: "OCPUs", example: 4 }),
    memoryGiB: z
      .number()
      .min(1)
      .max(8192)
      .optional()
      .meta({ description: "Memory of a flexible shape; required there.", unit: "GiB", example: 24 }),
    usdPerNodeHour: usdPerHour.optional().meta({
      description:
        "Your own price of one node: negotiated, or amortized hardware with power. Default: the catalogue's list price; 0 for machines of your own.",
      unit: "USD per hour",
      example: 0.45,
    }),
    hoursPerDay: z.number().positive().max(24).default(24).meta({
      description:
        "Hours a day after which you stop the pool's nodes yourself. The plan shows what that would cost and counts the whole day: nothing that is made here stops them. To pay by the clock, give the pool minNodes: 0 and its models replicas.min: 0 and scaling.schedule.",
      unit: "hours per day",
      example: 4,
    }),
    dedicatedTo: z
      .array(dnsLabel(40))
      .min(1)
      .optional()
      .meta({
        description:
          "Models that alone may use this pool; they use no other pool unless they name one. Default: every model.",
        example: ["llama-70b"],
      }),
    rdma: z
      .strictObject({
        mode: z.enum(["managed", "cluster-network"]).optional().meta({
          description:
            "How nodes that are made here get their RDMA network: managed = a node pool in a compute cluster; cluster-network = machines that Oracle makes together as one cluster network, and that join by themselves. Default: they get none.",
          example: "managed",
        }),
        access: z.enum(FABRIC_ACCESS).optional().meta({
          description:
            "How replicas that span nodes reach the RDMA network: virtual-functions = SR-IOV devices that a device plugin gives to pods, on Oracle's RoCE shapes; efa = Elastic Fabric Adapter on Amazon's; host-network = pods of one node each on its own network, outside of NetworkPolicies. Default: virtual-functions where mode is set; else none, and they talk TCP.",
          example: "virtual-functions",
        }),
        placementGroup: z.boolean().optional().meta({
          description:
            "Whether nodes that are made here with EFA are put close to each other, in a placement group. Not with a reservation or capacity block that was made outside of one. Default: false.",
          example: true,
        }),
        topologyLabel: labelKey.optional().meta({
          description:
            "Label of all nodes of this pool whose value names the block of the RDMA network that a node is in: a replica that spans nodes stays in one block, and shares it with no other replica of its model. Default: replicas take any nodes of the pool.",
          example: "oci.oraclecloud.com/rdma.local_block_id",
        }),
      })
      .optional()
      .meta({
        description:
          "The RDMA network of this pool's nodes, and whether pods get its devices: replicas that span nodes take them. Default: none, and such replicas talk TCP.",
        example: { access: "virtual-functions" },
      }),
    capacity: z
      .union([
        z.enum(["on-demand", "spot"]),
        z.strictObject({
          reservation: z.union([ocid("capacityreservation"), reservationId]).meta({
            description: "A capacity reservation that exists, on OCI or AWS.",
            allowed:
              'an OCID that begins with "ocid1.capacityreservation.", or on AWS an id such as "cr-0123456789abcdef0"',
            example: "ocid1.capacityreservation.oc1.eu-frankfurt-1.your-reservation",
          }),
        }),
        z.strictObject({
          capacityBlock: reservationId.meta({
            description: "A capacity block on AWS that was bought: machines for some days, in one zone.",
            example: "cr-0123456789abcdef0",
          }),
        }),
      ])
      .optional()
      .meta({
        allowed:
          "on-demand, spot, {reservation: …} with the id of a reservation, or on AWS {capacityBlock: …} with that of a block",
        description:
          "How nodes that are made here are bought. spot = preemptible: cheaper, and the cloud may take them back at any time. Default: on-demand.",
        example: "spot",
      }),
    availabilityDomains: z
      .array(wholeNumber(1, 3).meta({ description: "One of them.", unit: "number", example: 1 }))
      .min(1)
      .max(3)
      .optional()
      .meta({
        description:
          "Availability domains of the region, by number, that nodes are made in. Changing them later replaces nodes.",
        examples: [[1, 2, 3]],
      }),
    zones: z
      .array(zoneName)
      .min(1)
      .max(6)
      .optional()
      .meta({
        description:
          "Availability zones that nodes are made in on AWS, of cluster.eks.zones. Default: all of them; a pool with EFA, a reservation or a capacity block must name its one.",
        examples: [["us-east-1a"]],
      }),
    bootVolumeGiB: wholeNumber(50, 32_768).optional().meta({
      description:
        "Boot volume of each node that is made here. Default: planned from what its pods write, and their images.",
      unit: "GiB",
      example: 200,
    }),
    cycling: z.enum(["boot-volume", "instance", "off"]).optional().meta({
      description:
        "How changes reach nodes that exist in node pools of OKE that are made here: boot-volume = the same machines with a new boot volume, one after the other; instance = other machines; off = new nodes alone. Default: boot-volume for GPU machines that are not spot, else instance.",
      example: "instance",
    }),
    image: ocid("image").optional().meta({
      description:
        "Image of nodes that are made here. Default: Oracle's newest for shape and version when the pool is made; it stays until you name one.",
      example: "ocid1.image.oc1.eu-frankfurt-1.your-image",
    }),
    sharing: z
      .union([
        z.strictObject({
          mig: z
            .string()
            .regex(/^all-[0-9]+g\.[0-9]+gb$/)
            .meta({
              description: "Layout of every card, by the name that NVIDIA's MIG manager knows.",
              allowed: "all-<profile>, such as all-1g.10gb",
              example: "all-1g.10gb",
            }),
        }),
        z.strictObject({
          timeSlicing: z
            .strictObject({
              replicas: wholeNumber(2, 48).meta({
                description: "Pods that share a card, each with its equal part of the memory.",
                unit: "pods",
                example: 4,
              }),
            })
            .meta({ description: "Pods take turns on each card.", example: { replicas: 4 } }),
        }),
      ])
      .optional()
      .meta({
        description:
          "Parts of GPUs as GPUs of their own: mig = slices with memory of their own (A100, H100 and later), timeSlicing = turns on a card with shared memory. Default: a GPU is one pod's alone.",
        example: { mig: "all-1g.10gb" },
      }),
    confidential: z.boolean().optional().meta({
      description:
        "Memory of the nodes that are made here is encrypted against their host (AMD SEV or SEV-SNP, as the shape has it); such nodes join by themselves, and are not autoscaled. Default: false.",
      example: true,
    }),
    localDisks: z.enum(["pods", "unused"]).optional().meta({
      description:
        "Local NVMe disks of nodes that are made here: pods = one encrypted array that the kubelet keeps pods' files on, empty after a reboot. Default: pods where the machine has such disks.",
      example: "unused",
    }),
    numa: z.enum(["restricted", "single-numa-node", "best-effort"]).optional().meta({
      description:
        "How the kubelet of nodes that are made here places CPUs and devices of a pod (its topology manager). Default: restricted where no planned pod can be turned down by it, best-effort otherwise (docs/node-disks.md).",
      example: "restricted",
    }),
    uptime: z
      .strictObject({
        node: uptimeFraction.optional().meta({
          description:
            "Part of a month in which one machine is there, with the zone that it is in. Default: the catalogue's, from what the cloud promises.",
          unit: "fraction",
          example: 0.995,
        }),
        zone: uptimeFraction
          .optional()
          .meta({ description: "The same of one zone or site, with its region.", unit: "fraction", example: 0.999 }),
        region: uptimeFraction
          .optional()
          .meta({ description: "The same of what all zones share.", unit: "fraction", example: 0.9999 }),
        zones: wholeNumber(1, 6).optional().meta({
          description:
            "Zones (values of topology.kubernetes.io/zone) that its nodes are in, of a cluster that is not made here. Default: 1.",
          unit: "zones",
          example: 3,
        }),
      })
      .optional()
      .meta({
        description:
          "How often the pool's machines are there: what serviceLevel.availability is held to (docs/availability.md). Default: the catalogue's.",
        example: { node: 0.995, zones: 3 },
      }),
    labels: z
      .record(labelKey, labelValue)
      .optional()
      .meta({
        description:
          "Labels that all nodes of this pool have: its pods select nodes by them, so put them there first. Needed where nodes of another pool could be taken for these, such as machines of the same shape.",
        example: { "inference-stacks.io/pool": "blue" },
      }),
    taints: z
      .array(
        z.strictObject({
          key: labelKey.meta({ description: "Key of the taint.", example: "sku" }),
          value: labelValue.optional().meta({ description: "Its value. Default: any.", example: "gpu" }),
          effect: z.enum(["NoSchedule", "NoExecute", "PreferNoSchedule"]).default("NoSchedule").meta({
            description: "Its effect.",
            example: "NoSchedule",
          }),
        }),
      )
      .max(20)
      .optional()
      .meta({
        description:
          "Taints of nodes that exist, besides nvidia.com/gpu or amd.com/gpu and dedicated=inference: the pods of this pool tolerate them.",
        example: [{ key: "sku", value: "gpu" }],
      }),
  })
  .transform((pool) => ({ ...pool, maxNodes: pool.maxNodes ?? Math.max(1, pool.minNodes) }))
  .meta({
    description: "A group of equal machines.",
    oneOf: [{ required: ["shape"] }, { required: ["node"] }],
    example: { shape: "VM.GPU.A10.1" },
  });

/** More than any cluster has; the planner compares all pairs. */
export const MOST_POOLS = 200;

export const poolsSection = z.record(dnsLabel(40), poolSchema).meta({
  description: "Machines by pool name.",
  minProperties: 1,
  maxProperties: MOST_POOLS,
  example: { gpu: { shape: "VM.GPU.A10.1" } },
});
