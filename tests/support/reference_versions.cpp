// Tables 3 to 6 of the specification: which versions there are and what they differ in, besides their dtypes
// (support/type_tables.hpp). Written down a second time, so that the tables of src/ops can be wrong in a
// test.
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "support/reference.hpp"
#include "support/type_tables.hpp"

namespace tensorop::reference {
namespace {

// Versions of one publisher that differ from the default semantics in the same way.
struct Row {
  const char* publisher;
  const char* operators;  // as the command line calls them; "sub:subtract" where the publisher does not
  const char* since;      // each until the next one of that name
  std::string differs;    // members of Rules: "name", "-name", "name=value,value"; or an attribute's default
};

const std::string kTuples = "-negative_batch_dims -broadcast_batch_dims -empty_tuples ";
const std::string kScatter = "-use_init_val open_duplicates open_nan ";
const std::string kOnnxMath = "-float_floor_mod open_nan open_zeros open_wide_shift ";
const std::string kOpenvinoMath = "-float_floor_mod most_operands=2 open_nan open_zeros open_zero_divisor ";

const std::string kBits = "-float_floor_mod schemes=numpy,none,pdpd ";

const std::string kStarts = "-negative_indices any_index -use_init_val ";
const std::string kStarts0 = kStarts + "-batch_dims ";
const std::string kWindowReductions =
    "open_duplicates missing_complex_order reductions=none,add,mul,min,max,and,or,xor";

const std::string kWebnn = "-zero_dims nearest ";
const std::string kWebnnMath = "-zero_dims schemes=numpy ";

const std::string kTorchScatter =
    "-use_init_val torch_shapes -negative_indices open_duplicates rounds_once rounds_mean_sum ";
const std::string kTorchSlices = "-use_init_val vector_index torch_shapes -negative_indices open_duplicates ";
const std::string kTorchReduce = "reductions=sum,prod,mean,amax,amin reduction=sum ";

const std::string kLibraryMath = "-float_floor_mod schemes=numpy ";

const std::vector<Row> kRows = {
    // What PyTorch, NumPy and JAX have of the gather and scatter families.
    {"torch", "gather:indexselect", "2", "-batch_dims -negative_indices torch_shapes vector_index"},
    {"torch", "gather:take", "2", "-batch_dims -axis flat=true"},
    {"numpy", "gather:take", "2",
     "-batch_dims flat flat=true clips_raw index_modes=raise,wrap,clip scalar_data unchecked_empty"},
    {"jax", "gather:take", "0",
     "-batch_dims flat flat=true clips_raw index_modes=fill,clip,wrap no_empty_axis"},
    {"torch", "gatherelements:gather", "2", "-negative_indices torch_shapes"},
    {"torch", "gatherelements:takealongdim", "2", "-negative_indices torch_shapes off_axis flat flat=true"},
    {"numpy", "gatherelements:takealongaxis", "2", "off_axis flat axis=-1 unchecked_empty"},
    {"jax", "gatherelements:takealongaxis", "0",
     "off_axis flat axis=-1 index_modes=fill,clip,drop zero_of_empty_axis"},
    {"jax", "gathernd:atget", "0",
     kTuples + "no_empty_axis -batch_dims index_modes=clip,fill,drop,promise_in_bounds"},
    {"torch", "scatterelements:scatter", "2", kTorchScatter + "reductions=none,add,multiply takes_value"},
    {"torch", "scatterelements:scatteradd", "2", kTorchScatter + "reduction=add"},
    {"torch", "scatterelements:scatterreduce", "2", kTorchScatter + kTorchReduce + "use_init_val"},
    {"numpy", "scatterelements:putalongaxis", "2", "-use_init_val off_axis flat axis_or_flat"},
    {"jax", "scatterelements:putalongaxis", "0",
     "-use_init_val open_duplicates off_axis flat axis_or_flat updates_like_indices "
     "index_modes=drop,clip,fill,promise_in_bounds"},
    {"torch", "scatterupdate:indexcopy", "2", kTorchSlices},
    {"torch", "scatterupdate:indexadd", "2", kTorchSlices + "reduction=add"},
    {"torch", "scatterupdate:indexreduce", "2",
     kTorchSlices + "reductions=prod,mean,amax,amin reduction=prod use_init_val wraps_mean"},
    {"torch", "scatterupdate:put", "2", "-use_init_val open_duplicates -axis flat=true reductions=none,add"},
    {"numpy", "scatterupdate:put", "2",
     "-use_init_val -axis flat=true clips_raw index_modes=raise,wrap,clip cycles_updates"},
    {"torch", "scatternd:indexput", "2",
     "-use_init_val open_duplicates -one_element_updates repeats_updates reductions=none,add"},
    {"numpy", "scatternd:ufuncat", "2",
     "-use_init_val -one_element_updates repeats_updates reduction=add "
     "reductions=add,subtract,multiply,minimum,maximum no_bool=sub missing_complex_order"},
    {"jax", "scatternd:at", "0",
     "-use_init_val open_duplicates -one_element_updates repeats_updates no_empty_axis "
     "missing_complex_order index_modes=drop,clip,fill,promise_in_bounds "
     "reductions=none,add,subtract,multiply,min,max no_bool=add,sub,mul"},
    {"torch", "broadcast:expand", "2", "modes=numpy keeps_dims"},
    {"numpy", "broadcast:broadcastto", "2", "modes=numpy"},
    {"jax", "broadcast:broadcastto", "0", "modes=numpy"},
    {"torch", "where", "2", "schemes=numpy number_truth"},
    {"numpy", "where", "2", "schemes=numpy number_truth"},
    {"jax", "where", "0", "schemes=numpy number_truth"},
    {"onnx", "gather", "1", "-batch_dims -negative_indices"},
    {"onnx", "gather", "11 13", "-batch_dims"},
    {"openvino", "gather", "1", "-batch_dims -negative_indices"},
    {"openvino", "gather", "7", "-negative_indices"},
    {"openvino", "gather", "8", "zero_fill"},
    {"onnx", "gatherelements", "11 13", ""},
    {"openvino", "gatherelements", "6", "-negative_indices equal_off_axis"},
    {"onnx", "gathernd", "11", kTuples + "-batch_dims"},
    {"onnx", "gathernd", "12 13", kTuples},
    {"mdf", "gathernd", "0", kTuples},
    {"openvino", "gathernd", "5", "-negative_batch_dims -negative_indices fused_batch_dims"},
    {"openvino", "gathernd", "8", "-negative_batch_dims"},
    {"webnn", "gather", "0", kWebnn + "-batch_dims -negative_axis"},
    {"webnn", "gatherelements", "0", kWebnn + "-negative_axis equal_off_axis"},
    {"webnn", "gathernd", "0", kWebnn + kTuples + "-batch_dims"},
    {"webnn", "scatterelements", "0", kWebnn + "-use_init_val open_duplicates -negative_axis equal_off_axis"},
    {"webnn", "scatternd", "0", kWebnn + "-use_init_val open_duplicates -one_element_updates"},
    {"webnn", "expand", "0", "-zero_dims one_way_expand"},
    {"webnn", "where", "0", kWebnnMath + "byte_truth"},
    {"webnn", "add sub mul div pow prelu", "0", kWebnnMath},
    {"webnn", "min max", "0", kWebnnMath + "most_operands=2"},
    {"webnn",
     "equal notequal less:lesser lessorequal:lesserorequal greater greaterorequal and:logicaland "
     "or:logicalor xor:logicalxor",
     "0", kWebnnMath + "byte_truth"},
    {"onnx", "scatterelements:scatter", "9", kScatter + "-negative_indices"},
    {"onnx", "scatterelements:scatter", "11", kScatter},
    {"onnx", "scatterelements", "11 13", kScatter},
    {"onnx", "scatterelements", "16", kScatter + "reductions=none,add,mul"},
    {"onnx", "scatterelements", "18", kScatter + "reductions=none,add,mul,max,min"},
    {"openvino", "scatterelements:scatterelementsupdate", "3", kScatter + "-negative_indices bounded_axis"},
    {"openvino", "scatterelements:scatterelementsupdate", "12",
     "open_duplicates open_nan reductions=none,sum,prod,min,max,mean"},
    {"onnx", "scatternd", "11 13", kScatter + "-one_element_updates"},
    {"onnx", "scatternd", "16", kScatter + "-one_element_updates reductions=none,add,mul"},
    {"onnx", "scatternd", "18", kScatter + "-one_element_updates reductions=none,add,mul,max,min"},
    {"openvino", "scatternd:scatterndupdate", "3", kScatter + "-negative_indices"},
    {"openvino", "scatternd:scatterndupdate", "15", kScatter + "reductions=none,sum,sub,prod,min,max"},
    {"openvino", "scatterupdate", "3", "-use_init_val open_duplicates -negative_indices"},
    {"onnx", "tensorscatter", "24", "-negative_indices"},
    {"stablehlo", "gatherslices:gather", "9", kStarts0},
    {"stablehlo", "gatherslices:gather", "1001", kStarts},
    {"stablehlo", "scatterslices:scatter", "9", kStarts0 + kWindowReductions},
    {"stablehlo", "scatterslices:scatter", "1001", kStarts + kWindowReductions},
    {"stablehlo", "dynamicslice dynamicupdateslice", "9", kStarts},
    {"stablehlo", "broadcast:broadcastindim", "9", "modes=explicit mode=explicit any_order"},
    {"stablehlo", "where:select", "9", "schemes=none scalar_condition"},
    {"stablehlo",
     "add sub:subtract mul:multiply div:divide min:minimum max:maximum bitwiseand:and bitwiseor:or "
     "bitwisexor:xor equal:compareeq notequal:comparene less:comparelt lessorequal:comparele "
     "greater:comparegt "
     "greaterorequal:comparege",
     "9", "schemes=none most_operands=2"},
    {"stablehlo", "pow:power", "9", "schemes=none pow_of_zero"},
    {"stablehlo", "mod:remainder", "9", "schemes=none fmod=true"},
    {"stablehlo", "bitshift:shiftleft", "9", "schemes=none direction=left"},
    {"stablehlo", "bitshift:shiftrightarithmetic", "9", "schemes=none direction=right"},
    {"stablehlo", "bitshift:shiftrightlogical", "9", "schemes=none direction=logical"},
    {"onnx", "expand", "8 13", ""},
    {"openvino", "broadcast", "1", "modes=numpy,explicit,pdpd"},
    {"openvino", "broadcast", "3", "modes=numpy,explicit,bidirectional,pdpd"},
    {"onnx", "where", "9 16", "schemes=numpy"},
    {"openvino", "where:select", "1", "schemes=numpy,none,pdpd one_way_condition"},
    {"torch", "add sub mul", "2", kLibraryMath},
    {"torch", "div", "2", kLibraryMath},
    {"torch", "div:floordivide", "2", kLibraryMath + "pythondiv=true"},
    {"torch", "pow", "2", kLibraryMath + "pow_of_zero"},
    {"torch", "mod:fmod", "2", kLibraryMath + "fmod=true"},
    {"torch", "floormod:remainder", "2", kLibraryMath + "keeps_zero"},
    {"torch", "min:minimum max:maximum", "2", kLibraryMath + "most_operands=2 open_zeros"},
    {"torch", "equal:eq notequal:ne less:lt lessorequal:le greater:gt greaterorequal:ge", "2", kLibraryMath},
    {"torch", "and:logicaland or:logicalor xor:logicalxor", "2", kLibraryMath + "number_truth"},
    {"torch", "bitwiseand bitwiseor bitwisexor", "2", kLibraryMath},
    {"torch", "bitshift:bitwiseleftshift", "2", kLibraryMath + "any_shift direction=left"},
    {"torch", "bitshift:bitwiserightshift", "2", kLibraryMath + "any_shift direction=right"},
    {"numpy", "add sub:subtract mul:multiply", "2", kLibraryMath},
    {"numpy", "div:divide", "2", kLibraryMath},
    {"numpy", "div:floordivide", "2", kLibraryMath + "pythondiv=true missing_zero_divisor"},
    {"numpy", "pow:power", "2", kLibraryMath + "natural_pow"},
    {"numpy", "mod:fmod", "2", kLibraryMath + "fmod=true missing_zero_divisor"},
    {"numpy", "floormod:remainder", "2", kLibraryMath + "missing_zero_divisor"},
    {"numpy", "min:minimum max:maximum", "2", kLibraryMath + "most_operands=2 open_zeros nan_unordered"},
    {"numpy", "equal notequal less lessorequal:lessequal greater greaterorequal:greaterequal", "2",
     kLibraryMath + "nan_unordered"},
    {"numpy", "and:logicaland or:logicalor xor:logicalxor", "2", kLibraryMath + "number_truth"},
    {"numpy", "bitwiseand bitwiseor bitwisexor", "2", kLibraryMath},
    {"numpy", "bitshift:leftshift", "2", kLibraryMath + "any_shift direction=left"},
    {"numpy", "bitshift:rightshift", "2", kLibraryMath + "any_shift direction=right"},
    {"jax", "add sub:subtract mul:multiply", "0", kLibraryMath},
    {"jax", "div:divide", "0", kLibraryMath},
    {"jax", "div:floordivide", "0", kLibraryMath + "pythondiv=true missing_zero_divisor"},
    {"jax", "pow:power", "0", kLibraryMath},
    {"jax", "mod:fmod", "0", kLibraryMath + "fmod=true missing_zero_divisor"},
    {"jax", "floormod:remainder", "0", kLibraryMath + "keeps_zero missing_zero_divisor"},
    {"jax", "min:minimum max:maximum", "0", kLibraryMath + "most_operands=2"},
    {"jax", "equal notequal less lessorequal:lessequal greater greaterorequal:greaterequal", "0",
     kLibraryMath},
    {"jax", "and:logicaland or:logicalor xor:logicalxor", "0", kLibraryMath + "number_truth"},
    {"jax", "bitwiseand bitwiseor bitwisexor", "0", kLibraryMath},
    {"jax", "bitshift:leftshift", "0", kLibraryMath + "any_shift direction=left"},
    {"jax", "bitshift:rightshift", "0", kLibraryMath + "any_shift direction=right"},
    // 6.2.
    {"onnx", "add sub mul div", "1 6", kOnnxMath + "schemes=legacy"},
    {"onnx", "add sub mul div", "7 13 14", kOnnxMath + "schemes=numpy"},
    {"onnx", "pow greater less equal and or xor", "1", kOnnxMath + "schemes=legacy"},
    {"onnx", "pow", "7 12 13 15", kOnnxMath + "schemes=numpy"},
    {"onnx", "greater less", "7 9 13", kOnnxMath + "schemes=numpy"},
    {"onnx", "greaterorequal lessorequal", "12 16", kOnnxMath + "schemes=numpy"},
    {"onnx", "equal", "7 11 13 19", kOnnxMath + "schemes=numpy"},
    {"onnx", "and or xor", "7", kOnnxMath + "schemes=numpy"},
    {"onnx", "mod", "10 13", kOnnxMath + "schemes=numpy open_zero_divisor"},
    {"onnx", "mod", "28", kOnnxMath + "schemes=numpy open_zero_divisor float_floor_mod"},
    {"onnx", "min max", "1 6", kOnnxMath + "schemes=none"},
    {"onnx", "min max", "8 12 13", kOnnxMath + "schemes=numpy"},
    {"onnx", "bitwiseand bitwiseor bitwisexor", "18", kOnnxMath + "schemes=numpy"},
    {"onnx", "bitshift", "11", kOnnxMath + "schemes=numpy"},
    {"onnx", "bitshift", "28", kOnnxMath + "schemes=numpy -open_wide_shift any_shift"},
    {"openvino", "bitshift:bitwiseleftshift", "15", kBits + "open_wide_shift open_overflow direction=left"},
    {"openvino", "bitshift:bitwiserightshift", "15", kBits + "open_wide_shift direction=right"},
    {"openvino", "bitwiseand bitwiseor bitwisexor", "13", kBits},
    {"onnx", "prelu", "1 6", "schemes=channels"},
    {"onnx", "prelu", "7 9 16", "schemes=one_way"},
    {"openvino", "prelu", "1", "schemes=channels_first"},
    {"openvino",
     "add sub:subtract mul:multiply equal notequal less lessorequal:lessequal greater "
     "greaterorequal:greaterequal and:logicaland or:logicalor xor:logicalxor",
     "1", kOpenvinoMath + "schemes=numpy,none,pdpd"},
    {"openvino", "div:divide", "1", kOpenvinoMath + "schemes=numpy,none,pdpd pythondiv=true"},
    {"openvino", "pow:power floormod min:minimum max:maximum squareddifference", "1",
     kOpenvinoMath + "schemes=numpy,none"},
    // Mod-1 is the truncated remainder and has no attribute for it.
    {"openvino", "mod", "1", kOpenvinoMath + "schemes=numpy,none fmod=true"},
};

const std::map<std::string, bool Rules::*> kFlags = {
    {"negative_indices", &Rules::negative_indices},
    {"zero_fill", &Rules::zero_fill},
    {"batch_dims", &Rules::batch_dims},
    {"negative_batch_dims", &Rules::negative_batch_dims},
    {"broadcast_batch_dims", &Rules::broadcast_batch_dims},
    {"fused_batch_dims", &Rules::fused_batch_dims},
    {"empty_tuples", &Rules::empty_tuples},
    {"equal_off_axis", &Rules::equal_off_axis},
    {"bounded_axis", &Rules::bounded_axis},
    {"nearest", &Rules::nearest},
    {"negative_axis", &Rules::negative_axis},
    {"zero_dims", &Rules::zero_dims},
    {"byte_truth", &Rules::byte_truth},
    {"one_way_expand", &Rules::one_way_expand},
    {"one_element_updates", &Rules::one_element_updates},
    {"float_floor_mod", &Rules::float_floor_mod},
    {"off_axis", &Rules::off_axis},
    {"torch_shapes", &Rules::torch_shapes},
    {"vector_index", &Rules::vector_index},
    {"repeats_updates", &Rules::repeats_updates},
    {"keeps_dims", &Rules::keeps_dims},
    {"flat", &Rules::flat},
    {"missing_zero_divisor", &Rules::missing_zero_divisor},
    {"keeps_zero", &Rules::keeps_zero},
    {"pow_of_zero", &Rules::pow_of_zero},
    {"natural_pow", &Rules::natural_pow},
    {"number_truth", &Rules::number_truth},
    {"open_zeros", &Rules::open_zeros},
    {"open_overflow", &Rules::open_overflow},
    {"wraps_mean", &Rules::wraps_mean},
    {"takes_value", &Rules::takes_value},
    {"cycles_updates", &Rules::cycles_updates},
    {"scalar_data", &Rules::scalar_data},
    {"no_empty_axis", &Rules::no_empty_axis},
    {"zero_of_empty_axis", &Rules::zero_of_empty_axis},
    {"unchecked_empty", &Rules::unchecked_empty},
    {"axis_or_flat", &Rules::axis_or_flat},
    {"updates_like_indices", &Rules::updates_like_indices},
    {"missing_complex_order", &Rules::missing_complex_order},
    {"axis", &Rules::axis},
    {"rounds_once", &Rules::rounds_once},
    {"rounds_mean_sum", &Rules::rounds_mean_sum},
    {"clips_raw", &Rules::clips_raw},
    {"one_way_condition", &Rules::one_way_condition},
    {"use_init_val", &Rules::use_init_val},
    {"open_duplicates", &Rules::open_duplicates},
    {"open_nan", &Rules::open_nan},
    {"open_zero_divisor", &Rules::open_zero_divisor},
    {"open_wide_shift", &Rules::open_wide_shift},
    {"any_index", &Rules::any_index},
    {"scalar_condition", &Rules::scalar_condition},
    {"any_order", &Rules::any_order},
    {"any_shift", &Rules::any_shift},
    {"nan_unordered", &Rules::nan_unordered},
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

void apply(const std::string& word, Rules& rules) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    const bool off = word.starts_with('-');
    rules.*kFlags.at(word.substr(off ? 1 : 0)) = !off;
    return;
  }
  const std::string name = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  if (name == "no_bool") {
    rules.no_bool = value;
  } else if (name == "index_modes") {
    rules.index_modes = split(value, ',');
  } else if (name == "reductions") {
    rules.reductions = split(value, ',');
  } else if (name == "modes") {
    rules.modes = split(value, ',');
  } else if (name == "schemes") {
    rules.schemes = split(value, ',');
  } else if (name == "most_operands") {
    rules.most_operands = std::stoi(value);
  } else {
    rules.other_defaults[name] = value;
  }
}

// The version's dtypes; everything else as in the default semantics, without reductions.
Rules rules_of(const std::string& framework, int since, const std::string& name) {
  Rules rules;
  rules.rounds_once = framework == "default";
  rules.types = published_types({framework, since, name, "data"});
  rules.missing_types = types_not_here({framework, since, name, "data"});
  rules.exponent_types = published_types({framework, since, name, "exponent"});
  rules.index_types = published_types({framework, since, name, "indices"});
  rules.missing_index_types = types_not_here({framework, since, name, "indices"});
  return rules;
}

int newest(const std::string& framework) {
  if (framework == "torch" || framework == "numpy") return 2;
  return framework == "onnx" ? 28 : framework == "openvino" ? 17 : framework == "stablehlo" ? 1020 : 0;
}

std::vector<PublishedVersion> versions_of_rows() {
  std::vector<PublishedVersion> all;
  for (const Row& row : kRows) {
    for (const std::string& names : split(row.operators, ' ')) {
      for (const std::string& text : split(row.since, ' ')) {
        const int since = std::stoi(text);
        const std::string op = names.substr(0, names.find(':'));
        const std::string typed = names.substr(names.find(':') + 1);
        Rules rules = rules_of(row.publisher, since, typed);
        for (const std::string& word : split(row.differs, ' ')) apply(word, rules);
        all.push_back({op, typed, row.publisher, since, newest(row.publisher), rules});
      }
    }
  }
  // MDF has the newest of ONNX up to opset 15, but Scatter.
  std::map<std::string, PublishedVersion> mdf;
  for (const PublishedVersion& version : all) {
    const bool is_own = version.typed == "scatter" || version.op == "gathernd";
    if (version.framework != "onnx" || version.since > 15 || is_own) continue;
    PublishedVersion& newest = mdf[version.op];
    if (version.since >= newest.since) newest = version;
  }
  for (auto& [op, version] : mdf) {
    version.framework = "mdf";
    version.since = 0;
    all.push_back(version);
  }
  for (PublishedVersion& version : all) {
    for (const PublishedVersion& later : all) {
      const bool same = later.typed == version.typed && later.framework == version.framework;
      if (same && later.since > version.since) version.until = std::min(version.until, later.since - 1);
    }
  }
  return all;
}

}  // namespace

Rules default_rules(const std::string& op) {
  Rules rules = rules_of("default", 0, op);
  rules.reductions = {"none", "add", "sum", "sub", "mul", "prod", "min", "max", "mean"};
  rules.modes = {"numpy", "bidirectional", "pdpd", "explicit"};
  rules.schemes = {"numpy", "none", "pdpd"};
  if (op != "where") rules.schemes.push_back("legacy");
  rules.flat = op == "gather" || op == "gatherelements" || op == "scatterupdate";
  if (op == "tensorscatter") rules.negative_indices = false;
  if (op.ends_with("slice") || op.ends_with("slices")) {
    apply("-negative_indices", rules);
    apply("any_index", rules);
    apply("-use_init_val", rules);
    rules.reductions = {"none", "add", "mul", "min", "max", "and", "or", "xor"};
  }
  if (op == "prelu") rules.schemes = {"one_way"};
  return rules;
}

const std::vector<PublishedVersion>& published_versions() {
  static const std::vector<PublishedVersion> kTable = versions_of_rows();
  return kTable;
}

}  // namespace tensorop::reference
