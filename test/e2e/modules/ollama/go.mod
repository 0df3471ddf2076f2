module inference-stacks/test/e2e/modules/ollama

go 1.26

tool github.com/ollama/ollama

require github.com/ollama/ollama v0.6.5
