# OpenBench's entry point: `make EXE=name` builds the engine and leaves it here as `name`, `name.exe` on Windows.
# `make EVALFILE=path` builds another net in than the project's own; a relative path starts here.
# `make FEATURES=tune` builds with this feature of the crate; a branch whose default here is `tune` is one to be tuned.
# The instruction set is cargo's affair: the machine's own by default (.cargo/config.toml), else what RUSTFLAGS says.
# No step asks git, so an archive of the sources builds as well as a clone.

EXE   ?= komainu
CARGO ?= cargo
FEATURES ?=

TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
BUILT_DIR  := $(TARGET_DIR)$(if $(CARGO_BUILD_TARGET),/$(CARGO_BUILD_TARGET))/release

ifeq ($(OS),Windows_NT)
  SUFFIX := .exe
endif
# Read by build.rs.
ifdef EVALFILE
  export KOMAINU_EVALFILE := $(EVALFILE)
endif
# EXE with its suffix once, whether or not the caller wrote it.
NAME := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)

# GNU make on Windows without a POSIX shell leaves SHELL at the bare name sh.exe and runs recipes in cmd.exe.
ifeq ($(SHELL),sh.exe)
  remove = if exist "$(subst /,\,$1)" del /q "$(subst /,\,$1)"
  copy   = copy /y "$(subst /,\,$1)" "$(subst /,\,$2)"
else
  remove = rm -f "$1"
  copy   = cp "$1" "$2"
endif

.PHONY: all profile-build test web pictures clean

# The old file goes first: overwriting in place fails while it runs, and breaks its signature on macOS.
all:
	$(CARGO) build --release --bin komainu $(if $(FEATURES),--features $(FEATURES)) --target-dir "$(TARGET_DIR)"
	$(call remove,$(NAME))
	$(call copy,$(BUILT_DIR)/komainu$(SUFFIX),$(NAME))

# The same, compiled by what a `bench` of it has counted: some 10 % faster, twice the time to build. Needs
# `rustup component add llvm-tools`.
COUNTS = $(abspath $(TARGET_DIR))/counts
CPU_FLAGS ?= -C target-cpu=native
profile-build:
	$(MAKE) all RUSTFLAGS="$(CPU_FLAGS) -C profile-generate=$(COUNTS)" CARGO_TARGET_DIR="$(TARGET_DIR)/counting"
	"$(abspath $(NAME))" bench
	"$(shell rustc --print target-libdir)/../bin/llvm-profdata" merge --output "$(COUNTS)/all" "$(COUNTS)"
	$(MAKE) all RUSTFLAGS="$(CPU_FLAGS) -C profile-use=$(COUNTS)/all" CARGO_TARGET_DIR="$(TARGET_DIR)/profiled"

test:
	$(CARGO) test --release

# The engine as WebAssembly, in target/web: wasm/build.sh says what it needs.
web:
	bash wasm/build.sh "$(TARGET_DIR)/web"

# The pictures of the documents, from the program and the page: docs/pictures/make.mjs says what it needs.
pictures: web
	npm ci --prefix wasm/test/browser --no-audit --no-fund
	$(CARGO) build --release --bin komainu --target-dir "$(TARGET_DIR)"
	KOMAINU="$(abspath $(BUILT_DIR))/komainu$(SUFFIX)" KOMAINU_WEB="$(abspath $(TARGET_DIR))/web" node docs/pictures/make.mjs

clean:
	$(CARGO) clean --target-dir "$(TARGET_DIR)"
	$(call remove,$(NAME))
