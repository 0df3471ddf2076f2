/** What stands under args or env, and what its one problem must say. */
export const MISTAKES: readonly [string, Record<string, unknown>, { path: string; allowed: string; fix: string }][] = [
  [
    "a misspelt flag",
    { args: { "enable-auto-tool-choise": true } },
    {
      path: "args.enable-auto-tool-choise",
      allowed: "a flag of vLLM 0.33.0",
      fix: 'did you mean "enable-auto-tool-choice"?',
    },
  ],
  [
    "dashes",
    { args: { "--seed": 1 } },
    { path: "args.--seed", allowed: "without dashes", fix: 'did you mean "seed"?' },
  ],
  [
    "underscores",
    { args: { max_num_batched_tokens: 1 } },
    { path: "args.max_num_batched_tokens", allowed: "a flag of vLLM", fix: "max-num-batched-tokens" },
  ],
  [
    "a negation",
    { args: { "no-enable-prefix-caching": true } },
    { path: "args.no-enable-prefix-caching", allowed: "a flag", fix: "write enable-prefix-caching: false" },
  ],
  [
    "a dotted flag",
    { args: { "compilation-config.mode": 3 } },
    { path: 'args["compilation-config.mode"]', allowed: "a flag", fix: "write compilation-config:" },
  ],
  [
    "a removed flag",
    { args: { "swap-space": 4 } },
    { path: "args.swap-space", allowed: "a flag of vLLM 0.33.0", fix: "" },
  ],
  [
    "a list of words",
    { args: ["--seed=1"] },
    { path: "args", allowed: "a mapping of flags to values, not a list", fix: "enable-prompt-tokens-details" },
  ],
  [
    "LMCache's own server",
    { args: { "kv-offloading-size": 8, "kv-offloading-backend": "lmcache" } },
    { path: "args.kv-offloading-backend", allowed: "localhost:5555", fix: "remove the flag" },
  ],
  [
    "the same in a connector",
    { args: { "kv-transfer-config": '{"kv_connector": "LMCacheMPConnector", "kv_role": "kv_both"}' } },
    { path: "args.kv-transfer-config", allowed: "localhost:5555", fix: "remove the flag" },
  ],
  [
    "a disk of LMCache",
    {
      args: {
        "kv-transfer-config": {
          kv_connector: "LMCacheConnectorV1",
          kv_connector_extra_config: { "lmcache.local_disk": "file:///cache/blocks" },
        },
      },
    },
    { path: "args.kv-transfer-config", allowed: "lmcache.max_local_cpu_size", fix: "remove the flag" },
  ],
  [
    "the same in a variable",
    { env: { LMCACHE_LOCAL_DISK: "/cache/blocks" } },
    { path: "env.LMCACHE_LOCAL_DISK", allowed: "no disk for LMCache", fix: "remove it" },
  ],
  [
    "settings of LMCache that the plan cannot see",
    { env: { LMCACHE_CONFIG_FILE: "/models/current/lmcache.yaml" } },
    { path: "env.LMCACHE_CONFIG_FILE", allowed: "hides them from the plan", fix: "remove it" },
  ],
  [
    "no room for blocks",
    { args: { "kv-offloading-size": 0 } },
    { path: "args.kv-offloading-size", allowed: "GiB above 0", fix: "remove the flag" },
  ],
  [
    "bytes that vLLM cannot read",
    {
      args: {
        "kv-transfer-config": {
          kv_connector: "OffloadingConnector",
          kv_connector_extra_config: { cpu_bytes_to_use: "8 GiB" },
        },
      },
    },
    { path: "args.kv-transfer-config", allowed: "8589934592 or 8G", fix: "remove the flag" },
  ],
  [
    "a flag without value",
    { args: { seed: null } },
    { path: "args.seed", allowed: "true, false, a number", fix: "write for example true" },
  ],
  [
    "text for a number",
    { args: { seed: "one" } },
    { path: "args.seed", allowed: "a whole number", fix: "without quotes" },
  ],
  [
    "half a token",
    { args: { "max-num-batched-tokens": 2048.5 } },
    { path: "args.max-num-batched-tokens", allowed: "a whole number", fix: "whole number" },
  ],
  [
    "text for a switch",
    { args: { "enforce-eager": "yes" } },
    { path: "args.enforce-eager", allowed: "true or false", fix: "without quotes" },
  ],
  [
    "false where nothing switches off",
    { args: { "aggregate-engine-logging": false } },
    { path: "args.aggregate-engine-logging", allowed: "true", fix: "remove it: it is off by default" },
  ],
  [
    "an unknown choice",
    { args: { "scheduling-policy": "fifo" } },
    { path: "args.scheduling-policy", allowed: "one of fcfs, priority", fix: "one of these" },
  ],
  [
    "an unknown parser",
    { args: { "tool-call-parser": "hermess" } },
    { path: "args.tool-call-parser", allowed: "llama3_json", fix: 'did you mean "hermes"?' },
  ],
  [
    "a variable that is a flag now",
    { env: { VLLM_ALL2ALL_BACKEND: "pplx" } },
    { path: "env.VLLM_ALL2ALL_BACKEND", allowed: "a variable of vLLM", fix: "args: {all2all-backend: pplx}" },
  ],
  [
    "another such variable",
    { env: { VLLM_ATTENTION_BACKEND: "FLASH_ATTN" } },
    { path: "env.VLLM_ATTENTION_BACKEND", allowed: "a variable of vLLM", fix: "args: {attention-backend: FLASH_ATTN}" },
  ],
  [
    "a variable that is a part of a flag now",
    { env: { VLLM_FLASH_ATTN_VERSION: 3 } },
    { path: "env.VLLM_FLASH_ATTN_VERSION", allowed: "a variable of vLLM", fix: "flash_attn_version" },
  ],
  [
    "a flag that has another name now",
    { args: { "cuda-graph-sizes": [1, 2] } },
    { path: "args.cuda-graph-sizes", allowed: "a flag of vLLM", fix: "cudagraph-capture-sizes" },
  ],
  [
    "ranks that share experts, which replicas do not",
    { args: { "data-parallel-size": 16 } },
    { path: "args.data-parallel-size", allowed: "wide expert parallelism", fix: "remove it" },
  ],
  [
    "several names of a model",
    { args: { "served-model-name": ["a", "b"] } },
    { path: "args.served-model-name", allowed: "servedName", fix: "servedName: a, the one value" },
  ],
  [
    "Mistral's own layout of weights",
    { args: { "load-format": "mistral" } },
    { path: "args.load-format", allowed: "config.json", fix: "Hugging Face layout" },
  ],
  [
    "a loader that has no place here",
    { args: { "load-format": "npcache" } },
    { path: "args.load-format", allowed: "vllm.loading", fix: "copy, stream alone" },
  ],
  [
    "a number that has a key of its own",
    { args: { "max-lora-rank": 16 } },
    { path: "args.max-lora-rank", allowed: "set by vllm.maxLoraRank", fix: "write vllm.maxLoraRank" },
  ],
  [
    "text for JSON",
    { args: { "limit-mm-per-prompt": "image=2" } },
    { path: "args.limit-mm-per-prompt", allowed: "a mapping", fix: "write a mapping" },
  ],
  [
    "a flag hidden in a list",
    { args: { "lora-target-modules": ["o_proj", "--api-key"] } },
    { path: "args.lora-target-modules", allowed: 'do not begin with "-"', fix: "remove that item" },
  ],
  [
    "a flag of the plan",
    { args: { "tensor-parallel-size": 2 } },
    { path: "args.tensor-parallel-size", allowed: "set by vllm.tensorParallel", fix: "write vllm.tensorParallel: 2" },
  ],
  [
    "its alias",
    { args: { tp: 2 } },
    { path: "args.tp", allowed: "a flag", fix: "write vllm.tensorParallel of the model" },
  ],
  [
    "its misspelling",
    { args: { "max-modl-len": 4096 } },
    { path: "args.max-modl-len", allowed: "a flag", fix: "write contextTokens of the model" },
  ],
  [
    "a draft model by its repository",
    { args: { "speculative-config": { model: "yuhuili/EAGLE3-Qwen", method: "eagle3", num_speculative_tokens: 3 } } },
    { path: "args.speculative-config", allowed: '"yuhuili/EAGLE3-Qwen" is a repository', fix: "ngram" },
  ],
  [
    "a draft model by its name, in JSON text",
    { args: { "speculative-config": '{"model":"gpt2","num_speculative_tokens":3}' } },
    { path: "args.speculative-config", allowed: '"gpt2" is a name', fix: "/models/current" },
  ],
  [
    "a repository of defaults",
    { args: { "generation-config": "Qwen/y" } },
    { path: "args.generation-config", allowed: '"Qwen/y" is a repository', fix: "next to the weights" },
  ],
  [
    "code of another repository",
    { args: { "hf-overrides": { auto_map: { AutoConfig: "org/repo--configuration.Config" } } } },
    { path: "args.hf-overrides", allowed: "repository", fix: "/models/current" },
  ],
  [
    "an address deep in JSON",
    { args: { "kv-transfer-config": { kv_connector_extra_config: { url: "redis://cache.example.com:6379" } } } },
    { path: "args.kv-transfer-config", allowed: "cannot reach", fix: "remove it" },
  ],
  [
    "a back end of compilation that is a module's name",
    { args: { "compilation-config": { backend: "os.system" } } },
    { path: "args.compilation-config", allowed: "code that the engine would import", fix: "" },
  ],
  [
    "a pass of compilation, in JSON as text",
    { args: { "compilation-config": '{"inductor_passes":{"post_grad_custom_post_pass":"builtins.exec"}}' } },
    { path: "args.compilation-config", allowed: "code that the engine would import", fix: "" },
  ],
  [
    "a path that the pod does not have",
    { args: { "log-config-file": "/etc/vllm/log.json" } },
    { path: "args.log-config-file", allowed: "outside of /models/current", fix: "/models/current" },
  ],
  [
    "a way out of the model's folder",
    { args: { "mm-encoder-fp8-scale-path": "/models/current/../other/scales.json" } },
    { path: "args.mm-encoder-fp8-scale-path", allowed: "outside of /models/current", fix: "/models/current" },
  ],
  [
    "a repository for a flag of another version",
    { engineVersion: "0.34.0", args: { "drafter-of-tomorrow": "org/draft" } },
    { path: "args.drafter-of-tomorrow", allowed: "repository", fix: "/models/current" },
  ],
  [
    "images by URL",
    { args: { "allowed-media-domains": ["images.example.com"] } },
    { path: "args.allowed-media-domains", allowed: "data: URLs", fix: "remove it" },
  ],
  ["the platform's address", { args: { host: "0.0.0.0" } }, { path: "args.host", allowed: "probes", fix: "remove it" }],
  [
    "a family of flags",
    { args: { "data-parallel-rank": 1 } },
    { path: "args.data-parallel-rank", allowed: "replicas", fix: "remove it" },
  ],
  [
    "files for clients",
    { args: { "allowed-local-media-path": "/" } },
    { path: "args.allowed-local-media-path", allowed: "clients could read files", fix: "remove it" },
  ],
  [
    "foreign templates",
    { args: { "trust-request-chat-template": true } },
    { path: "args.trust-request-chat-template", allowed: "templates of their own", fix: "remove it" },
  ],
  [
    "foreign code",
    { args: { "tool-parser-plugin": "/x.py" } },
    { path: "args.tool-parser-plugin", allowed: "imports code", fix: "remove it" },
  ],
  [
    "code of a moving branch",
    { args: { "trust-remote-code": true } },
    { path: "args.trust-remote-code", allowed: "@<commit>", fix: "write its commit into source" },
  ],
  [
    "code in a bucket, which has no hash",
    { source: "s3://models/own", args: { "trust-remote-code": true } },
    { path: "args.trust-remote-code", allowed: "in a bucket", fix: "write its commit into source" },
  ],
  [
    "a development mode",
    { env: { VLLM_SERVER_DEV_MODE: 1 } },
    { path: "env.VLLM_SERVER_DEV_MODE", allowed: "to every client", fix: "remove it" },
  ],
  [
    "adapters from clients",
    { env: { VLLM_ALLOW_RUNTIME_LORA_UPDATING: true } },
    { path: "env.VLLM_ALLOW_RUNTIME_LORA_UPDATING", allowed: "loads adapters", fix: "remove it" },
  ],
  [
    "a misspelt variable",
    { env: { VLLM_LOGING_LEVEL: "INFO" } },
    { path: "env.VLLM_LOGING_LEVEL", allowed: "a variable of vLLM 0.33.0", fix: 'did you mean "VLLM_LOGGING_LEVEL"?' },
  ],
  [
    "a variable's wrong type",
    { env: { VLLM_LOG_STATS_INTERVAL: "often" } },
    { path: "env.VLLM_LOG_STATS_INTERVAL", allowed: "a number", fix: "" },
  ],
  [
    "text for a switch variable",
    { env: { VLLM_USE_DEEP_GEMM: "true" } },
    { path: "env.VLLM_USE_DEEP_GEMM", allowed: "true or false", fix: "without quotes" },
  ],
  [
    "a variable of the platform",
    { env: { HF_HUB_OFFLINE: 0 } },
    { path: "env.HF_HUB_OFFLINE", allowed: "model store", fix: "remove it" },
  ],
  [
    "another network than the plan's between nodes",
    { env: { NCCL_NET: "Socket" } },
    { path: "env.NCCL_NET", allowed: "pools.<name>.rdma", fix: "remove it" },
  ],
  [
    "keys of the store",
    { env: { AWS_ACCESS_KEY_ID: "x" } },
    { path: "env.AWS_ACCESS_KEY_ID", allowed: "keys of the model store", fix: "remove it" },
  ],
  [
    "an address in a variable",
    { env: { LMCACHE_REMOTE_URL: "redis://cache.example.com:6379" } },
    { path: "env.LMCACHE_REMOTE_URL", allowed: "cannot reach", fix: "remove it" },
  ],
  [
    "an address in a variable of the engine",
    { env: { VLLM_MEDIA_URL_ALLOW_REDIRECTS: true, VLLM_LOGGING_CONFIG_PATH: "https://example.com/logging.json" } },
    { path: "env.VLLM_LOGGING_CONFIG_PATH", allowed: "cannot reach", fix: "remove it" },
  ],
  [
    "no name of a variable",
    { env: { "MY-VAR": 1 } },
    { path: "env.MY-VAR", allowed: "name of an environment variable", fix: "rename" },
  ],
];
