// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/CompileCommands.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

namespace fs = std::filesystem;
using namespace heddle;
using namespace heddle::source;

namespace {

using Words = std::vector<std::string>;

/// A project in a folder of its own.
class CompileCommandsTest : public testing::Test {
protected:
  TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());

  fs::path write(const std::string &name, const std::string &text = "\n") const {
    makeFolder((root / name).parent_path());
    writeFileOrThrow(root / name, text);
    return root / name;
  }

  static std::string entry(const std::string &directory, const std::string &file,
                           const std::string &command) {
    return R"({"directory": ")" + directory + R"(", "file": ")" + file + R"(", "command": ")" + command +
           R"("})";
  }

  /// Written to build/compile_commands.json and read.
  CompileCommands database(const Words &entries) const {
    std::string text = "[";
    for (const std::string &each : entries)
      text += (text.size() > 1 ? ",\n" : "\n") + each;
    auto read = CompileCommands::read(write("build/compile_commands.json", text + "\n]\n"));
    EXPECT_TRUE(std::holds_alternative<CompileCommands>(read)) << std::get<std::string>(read);
    return std::get<CompileCommands>(read);
  }

  /// The source whose command a file takes; empty for none.
  fs::path sourceFor(const CompileCommands &database, const std::string &file) const {
    const CompileCommand *command = database.commandFor(root / file);
    return command ? command->source.lexically_relative(root) : fs::path();
  }

  BuildFlags flagsOf(const std::string &command, const std::string &file = "src/a.cu") const {
    write(file);
    const CompileCommands one = database({entry((root / "build").string(), (root / file).string(), command)});
    return buildFlags(*one.commandFor(root / file));
  }

  std::string at(const std::string &name) const { return (root / name).string(); }
};

} // namespace

// --- Which command ---------------------------------------------------------------------------------------

TEST_F(CompileCommandsTest, FilesAreFoundByAbsoluteAndRelativeNames) {
  write("src/a.cu"), write("src/b.cu"), write("src/c.cu");
  const CompileCommands all = database({entry(at("build"), at("src/a.cu"), "nvcc -c a.cu"),
                                        entry(at("build"), "../src/b.cu", "nvcc -c ../src/b.cu"),
                                        entry("../src", "c.cu", "nvcc -c c.cu")}); // relative to the database
  EXPECT_EQ(sourceFor(all, "src/a.cu"), "src/a.cu");
  EXPECT_EQ(sourceFor(all, "src/b.cu"), "src/b.cu");
  EXPECT_EQ(sourceFor(all, "src/c.cu"), "src/c.cu");
  EXPECT_EQ(sourceFor(all, "src/../src/a.cu"), "src/a.cu");
  EXPECT_EQ(sourceFor(all, "src/d.cu"), "");
}

TEST_F(CompileCommandsTest, ALinkLeadsToItsFile) {
  write("src/a.cu");
  fs::create_directory_symlink(root / "src", root / "link");
  const CompileCommands all = database({entry(at("build"), at("src/a.cu"), "nvcc -c a.cu")});
  EXPECT_EQ(sourceFor(all, "link/a.cu"), "src/a.cu");
}

TEST_F(CompileCommandsTest, AnotherSourceIsNotGuessed) {
  write("src/solve.cu"), write("src/solver.cu"), write("other/solve.cu");
  const CompileCommands all = database({entry(at("build"), at("src/solve.cu"), "nvcc -c a.cu")});
  EXPECT_EQ(sourceFor(all, "src/solver.cu"), "");
  EXPECT_EQ(sourceFor(all, "other/solve.cu"), "");
}

TEST_F(CompileCommandsTest, AHeaderTakesTheCommandOfItsStem) {
  for (const char *file : {"lib/solve.cuh", "lib/solve.cpp", "lib/solve.cu", "apps/solve.cu"})
    write(file);
  const CompileCommands all = database({entry(at("build"), at("lib/solve.cpp"), "c++ -c x"),
                                        entry(at("build"), at("apps/solve.cu"), "nvcc -c x"),
                                        entry(at("build"), at("lib/solve.cu"), "nvcc -c x")});
  EXPECT_EQ(sourceFor(all, "lib/solve.cuh"), "lib/solve.cu");
  write("apps/solve.h");
  EXPECT_EQ(sourceFor(all, "apps/solve.h"), "apps/solve.cu");
  write("include/solve.h"); // of another library, perhaps
  EXPECT_EQ(sourceFor(all, "include/solve.h"), "");
  write("lib/solve.cpp", "#include \"../include/solve.h\"\n");
  EXPECT_EQ(sourceFor(all, "include/solve.h"), "lib/solve.cpp");
}

TEST_F(CompileCommandsTest, AHeaderTakesTheCommandOfTheFirstThatIncludesIt) {
  write("src/a.cu", "#include <cstdio>\nint a;\n");
  write("src/b.cu", "  #  include \"lib/outer.h\"\n");
  write("src/c.cu", "#include \"../include/lib/inner.h\"\n");
  write("include/lib/outer.h", "#pragma once\n#include \"inner.h\"\n#include \"outer.h\"\n");
  write("include/lib/inner.h", "#include <lib/outer.h>\n");
  write("include/lib/alone.h");
  const CompileCommands all = database({entry(at("build"), at("src/a.cu"), "nvcc -I../include -c x"),
                                        entry(at("build"), at("src/b.cu"), "nvcc -I../include -c x"),
                                        entry(at("build"), at("src/c.cu"), "nvcc -c x")});
  EXPECT_EQ(sourceFor(all, "include/lib/inner.h"), "src/b.cu");
  EXPECT_EQ(sourceFor(all, "include/lib/outer.h"), "src/b.cu");
  EXPECT_EQ(sourceFor(all, "include/lib/alone.h"), "");
}

TEST_F(CompileCommandsTest, NearestNamesComeFirst) {
  const CompileCommands all = database({entry(at("build"), at("src/reduce.cu"), "nvcc -c x"),
                                        entry(at("build"), at("src/kernels.cu"), "nvcc -c x"),
                                        entry(at("build"), at("src/main.cpp"), "c++ -c x")});
  EXPECT_EQ(all.namesNearest("kernel.cu", 1), Words{at("src/kernels.cu")});
  EXPECT_EQ(all.namesNearest("kernel.cu", 9).size(), 3u);
}

TEST_F(CompileCommandsTest, WhatIsNoDatabaseIsReported) {
  auto reasonFor = [](const fs::path &file) {
    auto read = CompileCommands::read(file);
    auto *reason = std::get_if<std::string>(&read);
    return reason ? *reason : "none";
  };
  EXPECT_EQ(reasonFor(root / "nowhere.json"), "cannot be read: No such file or directory");
  EXPECT_TRUE(reasonFor(write("x.json", "{\"a\": 1}")).starts_with("is not a compilation database: "));
  EXPECT_TRUE(reasonFor(write("y.json", "[{\"file\": ")).starts_with("is not valid JSON: "));
  EXPECT_EQ(reasonFor(write("z.json", "[]")), "none");
}

TEST_F(CompileCommandsTest, DatabasesAboveAFileAreFoundNearestFirst) {
  const fs::path file = write("a/b/c/k.cu");
  const std::string names = R"([{"directory": "/", "file": "k.cu", "command": "nvcc"}])";
  const fs::path far = write("a/build/compile_commands.json", names),
                 near = write("a/b/compile_commands.json", names),
                 nearBuild = write("a/b/build/compile_commands.json", names);
  write("a/b/c/build/compile_commands.json",
        R"([{"directory": "/", "file": "other.cu", "command": "nvcc"}])");
  EXPECT_EQ(compileCommandsAbove(file), (std::vector<fs::path>{near, nearBuild, far}));
  EXPECT_EQ(compileCommandsAt(root / "a/b"), near);
  EXPECT_EQ(compileCommandsAt(near), near);
}

// --- Which flags -------------------------------------------------------------------------------------------

TEST_F(CompileCommandsTest, NvccsFlagsAreTakenOver) {
  write("build/pre.h");
  const BuildFlags found = flagsOf("/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -ccbin=g++ "
                                   "-DN=4 -D M -UX -I../include -I sub "
                                   "-isystem=/opt/x -isystem ../y -include pre.h -O3 -std=c++20 "
                                   "--generate-code=arch=compute_80,code=[compute_80,sm_80] "
                                   "-Xcompiler=-fPIC,-DDEEP -lineinfo --extended-lambda -rdc=true -x cu -c " +
                                   at("src/a.cu") + " -o a.o -MD -MT a.o -MF a.o.d");
  EXPECT_EQ(found.flags, (Words{"-DN=4", "-DM", "-UX", "-I" + at("include"), "-I" + at("build/sub"),
                                "-isystem", "/opt/x", "-isystem", at("y"), "-include", at("build/pre.h"),
                                "-std=c++20", "-fgpu-rdc", "-fPIC", "-DDEEP", "--extended-lambda"}));
  EXPECT_EQ(found.arch, "sm_80");
}

TEST_F(CompileCommandsTest, ClangsFlagsAreTakenOver) {
  const BuildFlags found = flagsOf(
      "clang++ -xcuda --cuda-gpu-arch=sm_90 --offload-arch=sm_86 -I ../include -iquote q -std=gnu++17 "
      "-fno-exceptions -ffast-math -O0 -Xclang -ast-dump -c ../src/a.cu -o a.o");
  EXPECT_EQ(found.flags, (Words{"-I" + at("include"), "-iquote", at("build/q"), "-std=gnu++17",
                                "-fno-exceptions", "-ffast-math"}));
  EXPECT_EQ(found.arch, "sm_86");
}

TEST_F(CompileCommandsTest, OptionsOfNvccThatChangeResultsAreKept) {
  EXPECT_EQ(flagsOf("nvcc -fmad false --ftz=true -use_fast_math -maxrregcount 32 --default-stream per-thread "
                    "-Xptxas -v -c "
                    "../src/a.cu")
                .flags,
            (Words{"--fmad=false", "--ftz=true", "--use_fast_math", "--maxrregcount=32",
                   "--default-stream=per-thread"}));
  EXPECT_EQ(flagsOf("nvcc --fmad=false -DA -c ../src/b.cpp", "src/b.cpp").flags,
            Words{"-DA"}); // a host compiler knows none
}

TEST_F(CompileCommandsTest, ResponseFilesAreReadFromTheFolderOfTheCommand) {
  write("build/includes.rsp", "-I../include -I\"with space\"\n");
  EXPECT_EQ(flagsOf("nvcc --options-file includes.rsp -DA -c ../src/a.cu").flags,
            (Words{"-I" + at("include"), "-I" + at("build/with space"), "-DA"}));
  EXPECT_EQ(flagsOf("clang++ @includes.rsp -c ../src/a.cu").flags,
            (Words{"-I" + at("include"), "-I" + at("build/with space")}));
  EXPECT_EQ(flagsOf("nvcc --options-file gone.rsp -DA -c ../src/a.cu").missingResponseFile, "gone.rsp");
  EXPECT_EQ(flagsOf("clang++ @gone.rsp -DA -c ../src/a.cu").missingResponseFile, "gone.rsp");
}

TEST_F(CompileCommandsTest, LaunchersAreNotCompilers) {
  for (const char *launcher : {"ccache ", "/usr/bin/heddle nvcc ", "heddle nvcc "}) {
    const BuildFlags found = flagsOf(std::string(launcher) + "nvcc -DA -arch=sm_75 -c ../src/a.cu");
    EXPECT_EQ(found.flags, Words{"-DA"}) << launcher;
    EXPECT_EQ(found.arch, "sm_75");
  }
}

TEST_F(CompileCommandsTest, AnArchitectureThatIsNotNamedIsNone) {
  EXPECT_EQ(flagsOf("nvcc -arch=native -c ../src/a.cu").arch, "");
  EXPECT_EQ(flagsOf("nvcc -arch=all -c ../src/a.cu").arch, "");
  EXPECT_EQ(
      flagsOf("nvcc -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -c ../src/a.cu")
          .arch,
      "sm_80");
}
