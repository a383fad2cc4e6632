//! All rules by family, and one type for the problems of all of them. Written by `cargo xtask rules`.

use super::render::Render;
use super::{r#async, constraint, cuda, flow, hoist, internal, name, place, slots, syntax, r#type};
use crate::diagnostics::Rule;

/// The rules of each family, families in alphabetical order.
pub(super) static FAMILIES: [&[&Rule]; 11] = [
    r#async::RULES,
    constraint::RULES,
    cuda::RULES,
    flow::RULES,
    hoist::RULES,
    internal::RULES,
    name::RULES,
    place::RULES,
    slots::RULES,
    syntax::RULES,
    r#type::RULES,
];

/// The data of a problem of any rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemData {
    /// `async/blocked-atomic`
    AsyncBlockedAtomic(r#async::blocked_atomic::BlockedAtomic),
    /// `async/captured-var`
    AsyncCapturedVar(r#async::captured_var::CapturedVar),
    /// `async/idle-barrier`
    AsyncIdleBarrier(r#async::idle_barrier::IdleBarrier),
    /// `async/not-awaited`
    AsyncNotAwaited(r#async::not_awaited::NotAwaited),
    /// `async/offer-outside`
    AsyncOfferOutside(r#async::offer_outside::OfferOutside),
    /// `async/unclocked`
    AsyncUnclocked(r#async::unclocked::Unclocked),
    /// `constraint/guard-not-entailed`
    ConstraintGuardNotEntailed(constraint::guard_not_entailed::GuardNotEntailed),
    /// `constraint/inconsistent`
    ConstraintInconsistent(constraint::inconsistent::Inconsistent),
    /// `constraint/not-entailed`
    ConstraintNotEntailed(constraint::not_entailed::NotEntailed),
    /// `constraint/not-established`
    ConstraintNotEstablished(constraint::not_established::NotEstablished),
    /// `constraint/run-time-check`
    ConstraintRunTimeCheck(constraint::run_time_check::RunTimeCheck),
    /// `cuda/allocation`
    CudaAllocation(cuda::allocation::Allocation),
    /// `cuda/assert-in-kernel`
    CudaAssertInKernel(cuda::assert_in_kernel::AssertInKernel),
    /// `cuda/async-in-kernel`
    CudaAsyncInKernel(cuda::async_in_kernel::AsyncInKernel),
    /// `cuda/at-in-kernel`
    CudaAtInKernel(cuda::at_in_kernel::AtInKernel),
    /// `cuda/ateach-in-kernel`
    CudaAteachInKernel(cuda::ateach_in_kernel::AtEachInKernel),
    /// `cuda/atomic-in-kernel`
    CudaAtomicInKernel(cuda::atomic_in_kernel::AtomicInKernel),
    /// `cuda/auto-in-thread`
    CudaAutoInThread(cuda::auto_in_thread::AutoInThread),
    /// `cuda/auto-twice`
    CudaAutoTwice(cuda::auto_twice::AutoTwice),
    /// `cuda/bad-callee`
    CudaBadCallee(cuda::bad_callee::BadCallee),
    /// `cuda/barrier-divergent`
    CudaBarrierDivergent(cuda::barrier_divergent::BarrierDivergent),
    /// `cuda/barrier-outside-thread`
    CudaBarrierOutsideThread(cuda::barrier_outside_thread::BarrierOutsideThread),
    /// `cuda/block-race`
    CudaBlockRace(cuda::block_race::BlockRace),
    /// `cuda/boxing`
    CudaBoxing(cuda::boxing::Boxing),
    /// `cuda/captured-object`
    CudaCapturedObject(cuda::captured_object::CapturedObject),
    /// `cuda/captured-rail-write`
    CudaCapturedRailWrite(cuda::captured_rail_write::CapturedRailWrite),
    /// `cuda/captured-this`
    CudaCapturedThis(cuda::captured_this::CapturedThis),
    /// `cuda/captured-var`
    CudaCapturedVar(cuda::captured_var::CapturedVar),
    /// `cuda/checked-cast`
    CudaCheckedCast(cuda::checked_cast::CheckedCast),
    /// `cuda/clock-operation`
    CudaClockOperation(cuda::clock_operation::ClockOperation),
    /// `cuda/clocked-block-async`
    CudaClockedBlockAsync(cuda::clocked_block_async::ClockedBlockAsync),
    /// `cuda/clocked-block-finish`
    CudaClockedBlockFinish(cuda::clocked_block_finish::ClockedBlockFinish),
    /// `cuda/closure-call`
    CudaClosureCall(cuda::closure_call::ClosureCall),
    /// `cuda/closure-in-kernel`
    CudaClosureInKernel(cuda::closure_in_kernel::ClosureInKernel),
    /// `cuda/constant-rail-source`
    CudaConstantRailSource(cuda::constant_rail_source::ConstantRailSource),
    /// `cuda/direct-params-without-cuda`
    CudaDirectParamsWithoutCuda(cuda::direct_params_without_cuda::DirectParamsWithoutCuda),
    /// `cuda/element-type`
    CudaElementType(cuda::element_type::ElementType),
    /// `cuda/empty-kernel`
    CudaEmptyKernel(cuda::empty_kernel::EmptyKernel),
    /// `cuda/empty-range`
    CudaEmptyRange(cuda::empty_range::EmptyRange),
    /// `cuda/extra-statement`
    CudaExtraStatement(cuda::extra_statement::ExtraStatement),
    /// `cuda/finish-in-kernel`
    CudaFinishInKernel(cuda::finish_in_kernel::FinishInKernel),
    /// `cuda/generic-call`
    CudaGenericCall(cuda::generic_call::GenericCall),
    /// `cuda/global-rail-home`
    CudaGlobalRailHome(cuda::global_rail_home::GlobalRailHome),
    /// `cuda/here-in-kernel`
    CudaHereInKernel(cuda::here_in_kernel::HereInKernel),
    /// `cuda/instance-call`
    CudaInstanceCall(cuda::instance_call::InstanceCall),
    /// `cuda/instanceof-in-kernel`
    CudaInstanceofInKernel(cuda::instanceof_in_kernel::InstanceOfInKernel),
    /// `cuda/interface-call`
    CudaInterfaceCall(cuda::interface_call::InterfaceCall),
    /// `cuda/iterator-in-kernel`
    CudaIteratorInKernel(cuda::iterator_in_kernel::IteratorInKernel),
    /// `cuda/long-range`
    CudaLongRange(cuda::long_range::LongRange),
    /// `cuda/lost-update`
    CudaLostUpdate(cuda::lost_update::LostUpdate),
    /// `cuda/misplaced-annotation`
    CudaMisplacedAnnotation(cuda::misplaced_annotation::MisplacedAnnotation),
    /// `cuda/misplaced-shared-memory`
    CudaMisplacedSharedMemory(cuda::misplaced_shared_memory::MisplacedSharedMemory),
    /// `cuda/missing-annotation`
    CudaMissingAnnotation(cuda::missing_annotation::MissingAnnotation),
    /// `cuda/missing-barrier`
    CudaMissingBarrier(cuda::missing_barrier::MissingBarrier),
    /// `cuda/missing-block-async`
    CudaMissingBlockAsync(cuda::missing_block_async::MissingBlockAsync),
    /// `cuda/missing-block-finish`
    CudaMissingBlockFinish(cuda::missing_block_finish::MissingBlockFinish),
    /// `cuda/missing-block-loop`
    CudaMissingBlockLoop(cuda::missing_block_loop::MissingBlockLoop),
    /// `cuda/missing-clocked-async`
    CudaMissingClockedAsync(cuda::missing_clocked_async::MissingClockedAsync),
    /// `cuda/missing-clocked-finish`
    CudaMissingClockedFinish(cuda::missing_clocked_finish::MissingClockedFinish),
    /// `cuda/missing-thread-async`
    CudaMissingThreadAsync(cuda::missing_thread_async::MissingThreadAsync),
    /// `cuda/missing-thread-finish`
    CudaMissingThreadFinish(cuda::missing_thread_finish::MissingThreadFinish),
    /// `cuda/missing-thread-loop`
    CudaMissingThreadLoop(cuda::missing_thread_loop::MissingThreadLoop),
    /// `cuda/nested-kernel`
    CudaNestedKernel(cuda::nested_kernel::NestedKernel),
    /// `cuda/nested-loops`
    CudaNestedLoops(cuda::nested_loops::NestedLoops),
    /// `cuda/not-a-range-loop`
    CudaNotARangeLoop(cuda::not_a_range_loop::NotARangeLoop),
    /// `cuda/object-field`
    CudaObjectField(cuda::object_field::ObjectField),
    /// `cuda/overlapping-blocks`
    CudaOverlappingBlocks(cuda::overlapping_blocks::OverlappingBlocks),
    /// `cuda/prelude-statement`
    CudaPreludeStatement(cuda::prelude_statement::PreludeStatement),
    /// `cuda/prelude-value`
    CudaPreludeValue(cuda::prelude_value::PreludeValue),
    /// `cuda/print-in-kernel`
    CudaPrintInKernel(cuda::print_in_kernel::PrintInKernel),
    /// `cuda/rail-literal`
    CudaRailLiteral(cuda::rail_literal::RailLiteral),
    /// `cuda/range-not-literal`
    CudaRangeNotLiteral(cuda::range_not_literal::RangeNotLiteral),
    /// `cuda/range-start`
    CudaRangeStart(cuda::range_start::RangeStart),
    /// `cuda/recursion`
    CudaRecursion(cuda::recursion::Recursion),
    /// `cuda/reference-cast`
    CudaReferenceCast(cuda::reference_cast::ReferenceCast),
    /// `cuda/reference-comparison`
    CudaReferenceComparison(cuda::reference_comparison::ReferenceComparison),
    /// `cuda/shared-initialiser`
    CudaSharedInitialiser(cuda::shared_initialiser::SharedInitialiser),
    /// `cuda/shared-large`
    CudaSharedLarge(cuda::shared_large::SharedLarge),
    /// `cuda/shared-statement`
    CudaSharedStatement(cuda::shared_statement::SharedStatement),
    /// `cuda/shared-too-large`
    CudaSharedTooLarge(cuda::shared_too_large::SharedTooLarge),
    /// `cuda/shared-value`
    CudaSharedValue(cuda::shared_value::SharedValue),
    /// `cuda/stack-size`
    CudaStackSize(cuda::stack_size::StackSize),
    /// `cuda/statement-after-blocks`
    CudaStatementAfterBlocks(cuda::statement_after_blocks::StatementAfterBlocks),
    /// `cuda/statement-after-threads`
    CudaStatementAfterThreads(cuda::statement_after_threads::StatementAfterThreads),
    /// `cuda/static-field`
    CudaStaticField(cuda::static_field::StaticField),
    /// `cuda/string-in-kernel`
    CudaStringInKernel(cuda::string_in_kernel::StringInKernel),
    /// `cuda/thread-operation-outside-thread`
    CudaThreadOperationOutsideThread(cuda::thread_operation_outside_thread::ThreadOperationOutsideThread),
    /// `cuda/throw-in-kernel`
    CudaThrowInKernel(cuda::throw_in_kernel::ThrowInKernel),
    /// `cuda/too-many-axes`
    CudaTooManyAxes(cuda::too_many_axes::TooManyAxes),
    /// `cuda/too-many-threads`
    CudaTooManyThreads(cuda::too_many_threads::TooManyThreads),
    /// `cuda/try-in-kernel`
    CudaTryInKernel(cuda::try_in_kernel::TryInKernel),
    /// `cuda/unannotated-call`
    CudaUnannotatedCall(cuda::unannotated_call::UnannotatedCall),
    /// `cuda/var-in-prelude`
    CudaVarInPrelude(cuda::var_in_prelude::VarInPrelude),
    /// `cuda/var-shared-memory`
    CudaVarSharedMemory(cuda::var_shared_memory::VarSharedMemory),
    /// `cuda/virtual-call`
    CudaVirtualCall(cuda::virtual_call::VirtualCall),
    /// `cuda/when-in-kernel`
    CudaWhenInKernel(cuda::when_in_kernel::WhenInKernel),
    /// `flow/call-in-construction`
    FlowCallInConstruction(flow::call_in_construction::CallInConstruction),
    /// `flow/captured-var`
    FlowCapturedVar(flow::captured_var::CapturedVar),
    /// `flow/division-by-zero`
    FlowDivisionByZero(flow::division_by_zero::DivisionByZero),
    /// `flow/escaping-this`
    FlowEscapingThis(flow::escaping_this::EscapingThis),
    /// `flow/field-not-assigned`
    FlowFieldNotAssigned(flow::field_not_assigned::FieldNotAssigned),
    /// `flow/index-out-of-bounds`
    FlowIndexOutOfBounds(flow::index_out_of_bounds::IndexOutOfBounds),
    /// `flow/jump-target`
    FlowJumpTarget(flow::jump_target::JumpTarget),
    /// `flow/missing-return`
    FlowMissingReturn(flow::missing_return::MissingReturn),
    /// `flow/negative-size`
    FlowNegativeSize(flow::negative_size::NegativeSize),
    /// `flow/no-this-access`
    FlowNoThisAccess(flow::no_this_access::NoThisAccess),
    /// `flow/non-escaping-method`
    FlowNonEscapingMethod(flow::non_escaping_method::NonEscapingMethod),
    /// `flow/null-dereference`
    FlowNullDereference(flow::null_dereference::NullDereference),
    /// `flow/property-call`
    FlowPropertyCall(flow::property_call::PropertyCall),
    /// `flow/this-too-early`
    FlowThisTooEarly(flow::this_too_early::ThisTooEarly),
    /// `flow/uncaught-exception`
    FlowUncaughtException(flow::uncaught_exception::UncaughtException),
    /// `flow/unreachable`
    FlowUnreachable(flow::unreachable::Unreachable),
    /// `flow/unreachable-catch`
    FlowUnreachableCatch(flow::unreachable_catch::UnreachableCatch),
    /// `flow/unused-value`
    FlowUnusedValue(flow::unused_value::UnusedValue),
    /// `flow/use-before-assignment`
    FlowUseBeforeAssignment(flow::use_before_assignment::UseBeforeAssignment),
    /// `flow/val-reassigned`
    FlowValReassigned(flow::val_reassigned::ValReassigned),
    /// `hoist/assignment`
    HoistAssignment(hoist::assignment::Assignment),
    /// `hoist/call`
    HoistCall(hoist::call::Call),
    /// `hoist/expression`
    HoistExpression(hoist::expression::Expression),
    /// `hoist/field-access`
    HoistFieldAccess(hoist::field_access::FieldAccess),
    /// `hoist/here`
    HoistHere(hoist::here::Here),
    /// `hoist/inner-variable`
    HoistInnerVariable(hoist::inner_variable::InnerVariable),
    /// `hoist/mutable-variable`
    HoistMutableVariable(hoist::mutable_variable::MutableVariable),
    /// `name/duplicate-local`
    NameDuplicateLocal(name::duplicate_local::DuplicateLocal),
    /// `name/not-visible`
    NameNotVisible(name::not_visible::NotVisible),
    /// `name/unknown-type`
    NameUnknownType(name::unknown_type::UnknownAnnotation),
    /// `name/unresolved`
    NameUnresolved(name::unresolved::Unresolved),
    /// `place/captured-var`
    PlaceCapturedVar(place::captured_var::CapturedVar),
    /// `place/lost-write`
    PlaceLostWrite(place::lost_write::LostWrite),
    /// `place/remote-access`
    PlaceRemoteAccess(place::remote_access::RemoteAccess),
    /// `slots/blocking-launch`
    SlotsBlockingLaunch(slots::blocking_launch::BlockingLaunch),
    /// `slots/buffer-in-use`
    SlotsBufferInUse(slots::buffer_in_use::BufferInUse),
    /// `slots/divergent-argument`
    SlotsDivergentArgument(slots::divergent_argument::DivergentArgument),
    /// `slots/divergent-call`
    SlotsDivergentCall(slots::divergent_call::DivergentCall),
    /// `slots/foreign-slot`
    SlotsForeignSlot(slots::foreign_slot::ForeignSlot),
    /// `slots/short-receive`
    SlotsShortReceive(slots::short_receive::ShortReceive),
    /// `slots/unequal-roots`
    SlotsUnequalRoots(slots::unequal_roots::UnequalRoots),
    /// `slots/unreached-collective`
    SlotsUnreachedCollective(slots::unreached_collective::UnreachedCollective),
    /// `type/abstract-instantiation`
    TypeAbstractInstantiation(r#type::abstract_instantiation::AbstractInstantiation),
    /// `type/ambiguous-call`
    TypeAmbiguousCall(r#type::ambiguous_call::AmbiguousCall),
    /// `type/bad-constructor-result`
    TypeBadConstructorResult(r#type::bad_constructor_result::BadConstructorResult),
    /// `type/bad-conversion`
    TypeBadConversion(r#type::bad_conversion::BadConversion),
    /// `type/bad-override`
    TypeBadOverride(r#type::bad_override::BadOverride),
    /// `type/constructor-call`
    TypeConstructorCall(r#type::constructor_call::ConstructorCall),
    /// `type/duplicate-case`
    TypeDuplicateCase(r#type::duplicate_case::DuplicateCase),
    /// `type/duplicate-member`
    TypeDuplicateMember(r#type::duplicate_member::DuplicateMember),
    /// `type/endless-property`
    TypeEndlessProperty(r#type::endless_property::EndlessProperty),
    /// `type/endless-struct`
    TypeEndlessStruct(r#type::endless_struct::EndlessStruct),
    /// `type/generic-exception`
    TypeGenericException(r#type::generic_exception::GenericException),
    /// `type/generic-property`
    TypeGenericProperty(r#type::generic_property::GenericProperty),
    /// `type/impossible-cast`
    TypeImpossibleCast(r#type::impossible_cast::ImpossibleCast),
    /// `type/incomparable`
    TypeIncomparable(r#type::incomparable::Incomparable),
    /// `type/literal-range`
    TypeLiteralRange(r#type::literal_range::LiteralRange),
    /// `type/mismatch`
    TypeMismatch(r#type::mismatch::Mismatch),
    /// `type/misplaced-annotation`
    TypeMisplacedAnnotation(r#type::misplaced_annotation::MisplacedAnnotation),
    /// `type/misplaced-class`
    TypeMisplacedClass(r#type::misplaced_class::MisplacedClass),
    /// `type/missing-type`
    TypeMissingType(r#type::missing_type::MissingType),
    /// `type/narrowed-assignment`
    TypeNarrowedAssignment(r#type::narrowed_assignment::NarrowedAssignment),
    /// `type/no-body`
    TypeNoBody(r#type::no_body::NoBody),
    /// `type/no-matching-call`
    TypeNoMatchingCall(r#type::no_matching_call::NoMatchingCall),
    /// `type/no-operator`
    TypeNoOperator(r#type::no_operator::NoOperator),
    /// `type/no-outer-object`
    TypeNoOuterObject(r#type::no_outer_object::NoOuterObject),
    /// `type/not-a-value`
    TypeNotAValue(r#type::not_a_value::NotAValue),
    /// `type/not-assignable`
    TypeNotAssignable(r#type::not_assignable::NotAssignable),
    /// `type/not-callable`
    TypeNotCallable(r#type::not_callable::NotCallable),
    /// `type/not-constant`
    TypeNotConstant(r#type::not_constant::NotConstant),
    /// `type/not-enclosing`
    TypeNotEnclosing(r#type::not_enclosing::NotEnclosing),
    /// `type/not-implemented`
    TypeNotImplemented(r#type::not_implemented::NotImplemented),
    /// `type/not-iterable`
    TypeNotIterable(r#type::not_iterable::NotIterable),
    /// `type/recursive-result`
    TypeRecursiveResult(r#type::recursive_result::RecursiveResult),
    /// `type/removed`
    TypeRemoved(r#type::removed::Removed),
    /// `type/static-context`
    TypeStaticContext(r#type::static_context::StaticContext),
    /// `type/static-var`
    TypeStaticVar(r#type::static_var::StaticVar),
    /// `type/struct-var-field`
    TypeStructVarField(r#type::struct_var_field::StructVarField),
    /// `type/text-identity`
    TypeTextIdentity(r#type::text_identity::TextIdentity),
    /// `type/transient-without-zero`
    TypeTransientWithoutZero(r#type::transient_without_zero::TransientWithoutZero),
    /// `type/void-value`
    TypeVoidValue(r#type::void_value::VoidValue),
    /// `type/wrong-type-arguments`
    TypeWrongTypeArguments(r#type::wrong_type_arguments::WrongTypeArguments),
}

impl ProblemData {
    /// The rule that is broken, and its words.
    pub fn data(&self) -> &dyn Render {
        match self {
            ProblemData::AsyncBlockedAtomic(data) => data,
            ProblemData::AsyncCapturedVar(data) => data,
            ProblemData::AsyncIdleBarrier(data) => data,
            ProblemData::AsyncNotAwaited(data) => data,
            ProblemData::AsyncOfferOutside(data) => data,
            ProblemData::AsyncUnclocked(data) => data,
            ProblemData::ConstraintGuardNotEntailed(data) => data,
            ProblemData::ConstraintInconsistent(data) => data,
            ProblemData::ConstraintNotEntailed(data) => data,
            ProblemData::ConstraintNotEstablished(data) => data,
            ProblemData::ConstraintRunTimeCheck(data) => data,
            ProblemData::CudaAllocation(data) => data,
            ProblemData::CudaAssertInKernel(data) => data,
            ProblemData::CudaAsyncInKernel(data) => data,
            ProblemData::CudaAtInKernel(data) => data,
            ProblemData::CudaAteachInKernel(data) => data,
            ProblemData::CudaAtomicInKernel(data) => data,
            ProblemData::CudaAutoInThread(data) => data,
            ProblemData::CudaAutoTwice(data) => data,
            ProblemData::CudaBadCallee(data) => data,
            ProblemData::CudaBarrierDivergent(data) => data,
            ProblemData::CudaBarrierOutsideThread(data) => data,
            ProblemData::CudaBlockRace(data) => data,
            ProblemData::CudaBoxing(data) => data,
            ProblemData::CudaCapturedObject(data) => data,
            ProblemData::CudaCapturedRailWrite(data) => data,
            ProblemData::CudaCapturedThis(data) => data,
            ProblemData::CudaCapturedVar(data) => data,
            ProblemData::CudaCheckedCast(data) => data,
            ProblemData::CudaClockOperation(data) => data,
            ProblemData::CudaClockedBlockAsync(data) => data,
            ProblemData::CudaClockedBlockFinish(data) => data,
            ProblemData::CudaClosureCall(data) => data,
            ProblemData::CudaClosureInKernel(data) => data,
            ProblemData::CudaConstantRailSource(data) => data,
            ProblemData::CudaDirectParamsWithoutCuda(data) => data,
            ProblemData::CudaElementType(data) => data,
            ProblemData::CudaEmptyKernel(data) => data,
            ProblemData::CudaEmptyRange(data) => data,
            ProblemData::CudaExtraStatement(data) => data,
            ProblemData::CudaFinishInKernel(data) => data,
            ProblemData::CudaGenericCall(data) => data,
            ProblemData::CudaGlobalRailHome(data) => data,
            ProblemData::CudaHereInKernel(data) => data,
            ProblemData::CudaInstanceCall(data) => data,
            ProblemData::CudaInstanceofInKernel(data) => data,
            ProblemData::CudaInterfaceCall(data) => data,
            ProblemData::CudaIteratorInKernel(data) => data,
            ProblemData::CudaLongRange(data) => data,
            ProblemData::CudaLostUpdate(data) => data,
            ProblemData::CudaMisplacedAnnotation(data) => data,
            ProblemData::CudaMisplacedSharedMemory(data) => data,
            ProblemData::CudaMissingAnnotation(data) => data,
            ProblemData::CudaMissingBarrier(data) => data,
            ProblemData::CudaMissingBlockAsync(data) => data,
            ProblemData::CudaMissingBlockFinish(data) => data,
            ProblemData::CudaMissingBlockLoop(data) => data,
            ProblemData::CudaMissingClockedAsync(data) => data,
            ProblemData::CudaMissingClockedFinish(data) => data,
            ProblemData::CudaMissingThreadAsync(data) => data,
            ProblemData::CudaMissingThreadFinish(data) => data,
            ProblemData::CudaMissingThreadLoop(data) => data,
            ProblemData::CudaNestedKernel(data) => data,
            ProblemData::CudaNestedLoops(data) => data,
            ProblemData::CudaNotARangeLoop(data) => data,
            ProblemData::CudaObjectField(data) => data,
            ProblemData::CudaOverlappingBlocks(data) => data,
            ProblemData::CudaPreludeStatement(data) => data,
            ProblemData::CudaPreludeValue(data) => data,
            ProblemData::CudaPrintInKernel(data) => data,
            ProblemData::CudaRailLiteral(data) => data,
            ProblemData::CudaRangeNotLiteral(data) => data,
            ProblemData::CudaRangeStart(data) => data,
            ProblemData::CudaRecursion(data) => data,
            ProblemData::CudaReferenceCast(data) => data,
            ProblemData::CudaReferenceComparison(data) => data,
            ProblemData::CudaSharedInitialiser(data) => data,
            ProblemData::CudaSharedLarge(data) => data,
            ProblemData::CudaSharedStatement(data) => data,
            ProblemData::CudaSharedTooLarge(data) => data,
            ProblemData::CudaSharedValue(data) => data,
            ProblemData::CudaStackSize(data) => data,
            ProblemData::CudaStatementAfterBlocks(data) => data,
            ProblemData::CudaStatementAfterThreads(data) => data,
            ProblemData::CudaStaticField(data) => data,
            ProblemData::CudaStringInKernel(data) => data,
            ProblemData::CudaThreadOperationOutsideThread(data) => data,
            ProblemData::CudaThrowInKernel(data) => data,
            ProblemData::CudaTooManyAxes(data) => data,
            ProblemData::CudaTooManyThreads(data) => data,
            ProblemData::CudaTryInKernel(data) => data,
            ProblemData::CudaUnannotatedCall(data) => data,
            ProblemData::CudaVarInPrelude(data) => data,
            ProblemData::CudaVarSharedMemory(data) => data,
            ProblemData::CudaVirtualCall(data) => data,
            ProblemData::CudaWhenInKernel(data) => data,
            ProblemData::FlowCallInConstruction(data) => data,
            ProblemData::FlowCapturedVar(data) => data,
            ProblemData::FlowDivisionByZero(data) => data,
            ProblemData::FlowEscapingThis(data) => data,
            ProblemData::FlowFieldNotAssigned(data) => data,
            ProblemData::FlowIndexOutOfBounds(data) => data,
            ProblemData::FlowJumpTarget(data) => data,
            ProblemData::FlowMissingReturn(data) => data,
            ProblemData::FlowNegativeSize(data) => data,
            ProblemData::FlowNoThisAccess(data) => data,
            ProblemData::FlowNonEscapingMethod(data) => data,
            ProblemData::FlowNullDereference(data) => data,
            ProblemData::FlowPropertyCall(data) => data,
            ProblemData::FlowThisTooEarly(data) => data,
            ProblemData::FlowUncaughtException(data) => data,
            ProblemData::FlowUnreachable(data) => data,
            ProblemData::FlowUnreachableCatch(data) => data,
            ProblemData::FlowUnusedValue(data) => data,
            ProblemData::FlowUseBeforeAssignment(data) => data,
            ProblemData::FlowValReassigned(data) => data,
            ProblemData::HoistAssignment(data) => data,
            ProblemData::HoistCall(data) => data,
            ProblemData::HoistExpression(data) => data,
            ProblemData::HoistFieldAccess(data) => data,
            ProblemData::HoistHere(data) => data,
            ProblemData::HoistInnerVariable(data) => data,
            ProblemData::HoistMutableVariable(data) => data,
            ProblemData::NameDuplicateLocal(data) => data,
            ProblemData::NameNotVisible(data) => data,
            ProblemData::NameUnknownType(data) => data,
            ProblemData::NameUnresolved(data) => data,
            ProblemData::PlaceCapturedVar(data) => data,
            ProblemData::PlaceLostWrite(data) => data,
            ProblemData::PlaceRemoteAccess(data) => data,
            ProblemData::SlotsBlockingLaunch(data) => data,
            ProblemData::SlotsBufferInUse(data) => data,
            ProblemData::SlotsDivergentArgument(data) => data,
            ProblemData::SlotsDivergentCall(data) => data,
            ProblemData::SlotsForeignSlot(data) => data,
            ProblemData::SlotsShortReceive(data) => data,
            ProblemData::SlotsUnequalRoots(data) => data,
            ProblemData::SlotsUnreachedCollective(data) => data,
            ProblemData::TypeAbstractInstantiation(data) => data,
            ProblemData::TypeAmbiguousCall(data) => data,
            ProblemData::TypeBadConstructorResult(data) => data,
            ProblemData::TypeBadConversion(data) => data,
            ProblemData::TypeBadOverride(data) => data,
            ProblemData::TypeConstructorCall(data) => data,
            ProblemData::TypeDuplicateCase(data) => data,
            ProblemData::TypeDuplicateMember(data) => data,
            ProblemData::TypeEndlessProperty(data) => data,
            ProblemData::TypeEndlessStruct(data) => data,
            ProblemData::TypeGenericException(data) => data,
            ProblemData::TypeGenericProperty(data) => data,
            ProblemData::TypeImpossibleCast(data) => data,
            ProblemData::TypeIncomparable(data) => data,
            ProblemData::TypeLiteralRange(data) => data,
            ProblemData::TypeMismatch(data) => data,
            ProblemData::TypeMisplacedAnnotation(data) => data,
            ProblemData::TypeMisplacedClass(data) => data,
            ProblemData::TypeMissingType(data) => data,
            ProblemData::TypeNarrowedAssignment(data) => data,
            ProblemData::TypeNoBody(data) => data,
            ProblemData::TypeNoMatchingCall(data) => data,
            ProblemData::TypeNoOperator(data) => data,
            ProblemData::TypeNoOuterObject(data) => data,
            ProblemData::TypeNotAValue(data) => data,
            ProblemData::TypeNotAssignable(data) => data,
            ProblemData::TypeNotCallable(data) => data,
            ProblemData::TypeNotConstant(data) => data,
            ProblemData::TypeNotEnclosing(data) => data,
            ProblemData::TypeNotImplemented(data) => data,
            ProblemData::TypeNotIterable(data) => data,
            ProblemData::TypeRecursiveResult(data) => data,
            ProblemData::TypeRemoved(data) => data,
            ProblemData::TypeStaticContext(data) => data,
            ProblemData::TypeStaticVar(data) => data,
            ProblemData::TypeStructVarField(data) => data,
            ProblemData::TypeTextIdentity(data) => data,
            ProblemData::TypeTransientWithoutZero(data) => data,
            ProblemData::TypeVoidValue(data) => data,
            ProblemData::TypeWrongTypeArguments(data) => data,
        }
    }
}

impl From<r#async::blocked_atomic::BlockedAtomic> for ProblemData {
    fn from(data: r#async::blocked_atomic::BlockedAtomic) -> ProblemData {
        ProblemData::AsyncBlockedAtomic(data)
    }
}

impl From<r#async::captured_var::CapturedVar> for ProblemData {
    fn from(data: r#async::captured_var::CapturedVar) -> ProblemData {
        ProblemData::AsyncCapturedVar(data)
    }
}

impl From<r#async::idle_barrier::IdleBarrier> for ProblemData {
    fn from(data: r#async::idle_barrier::IdleBarrier) -> ProblemData {
        ProblemData::AsyncIdleBarrier(data)
    }
}

impl From<r#async::not_awaited::NotAwaited> for ProblemData {
    fn from(data: r#async::not_awaited::NotAwaited) -> ProblemData {
        ProblemData::AsyncNotAwaited(data)
    }
}

impl From<r#async::offer_outside::OfferOutside> for ProblemData {
    fn from(data: r#async::offer_outside::OfferOutside) -> ProblemData {
        ProblemData::AsyncOfferOutside(data)
    }
}

impl From<r#async::unclocked::Unclocked> for ProblemData {
    fn from(data: r#async::unclocked::Unclocked) -> ProblemData {
        ProblemData::AsyncUnclocked(data)
    }
}

impl From<constraint::guard_not_entailed::GuardNotEntailed> for ProblemData {
    fn from(data: constraint::guard_not_entailed::GuardNotEntailed) -> ProblemData {
        ProblemData::ConstraintGuardNotEntailed(data)
    }
}

impl From<constraint::inconsistent::Inconsistent> for ProblemData {
    fn from(data: constraint::inconsistent::Inconsistent) -> ProblemData {
        ProblemData::ConstraintInconsistent(data)
    }
}

impl From<constraint::not_entailed::NotEntailed> for ProblemData {
    fn from(data: constraint::not_entailed::NotEntailed) -> ProblemData {
        ProblemData::ConstraintNotEntailed(data)
    }
}

impl From<constraint::not_established::NotEstablished> for ProblemData {
    fn from(data: constraint::not_established::NotEstablished) -> ProblemData {
        ProblemData::ConstraintNotEstablished(data)
    }
}

impl From<constraint::run_time_check::RunTimeCheck> for ProblemData {
    fn from(data: constraint::run_time_check::RunTimeCheck) -> ProblemData {
        ProblemData::ConstraintRunTimeCheck(data)
    }
}

impl From<cuda::allocation::Allocation> for ProblemData {
    fn from(data: cuda::allocation::Allocation) -> ProblemData {
        ProblemData::CudaAllocation(data)
    }
}

impl From<cuda::assert_in_kernel::AssertInKernel> for ProblemData {
    fn from(data: cuda::assert_in_kernel::AssertInKernel) -> ProblemData {
        ProblemData::CudaAssertInKernel(data)
    }
}

impl From<cuda::async_in_kernel::AsyncInKernel> for ProblemData {
    fn from(data: cuda::async_in_kernel::AsyncInKernel) -> ProblemData {
        ProblemData::CudaAsyncInKernel(data)
    }
}

impl From<cuda::at_in_kernel::AtInKernel> for ProblemData {
    fn from(data: cuda::at_in_kernel::AtInKernel) -> ProblemData {
        ProblemData::CudaAtInKernel(data)
    }
}

impl From<cuda::ateach_in_kernel::AtEachInKernel> for ProblemData {
    fn from(data: cuda::ateach_in_kernel::AtEachInKernel) -> ProblemData {
        ProblemData::CudaAteachInKernel(data)
    }
}

impl From<cuda::atomic_in_kernel::AtomicInKernel> for ProblemData {
    fn from(data: cuda::atomic_in_kernel::AtomicInKernel) -> ProblemData {
        ProblemData::CudaAtomicInKernel(data)
    }
}

impl From<cuda::auto_in_thread::AutoInThread> for ProblemData {
    fn from(data: cuda::auto_in_thread::AutoInThread) -> ProblemData {
        ProblemData::CudaAutoInThread(data)
    }
}

impl From<cuda::auto_twice::AutoTwice> for ProblemData {
    fn from(data: cuda::auto_twice::AutoTwice) -> ProblemData {
        ProblemData::CudaAutoTwice(data)
    }
}

impl From<cuda::bad_callee::BadCallee> for ProblemData {
    fn from(data: cuda::bad_callee::BadCallee) -> ProblemData {
        ProblemData::CudaBadCallee(data)
    }
}

impl From<cuda::barrier_divergent::BarrierDivergent> for ProblemData {
    fn from(data: cuda::barrier_divergent::BarrierDivergent) -> ProblemData {
        ProblemData::CudaBarrierDivergent(data)
    }
}

impl From<cuda::barrier_outside_thread::BarrierOutsideThread> for ProblemData {
    fn from(data: cuda::barrier_outside_thread::BarrierOutsideThread) -> ProblemData {
        ProblemData::CudaBarrierOutsideThread(data)
    }
}

impl From<cuda::block_race::BlockRace> for ProblemData {
    fn from(data: cuda::block_race::BlockRace) -> ProblemData {
        ProblemData::CudaBlockRace(data)
    }
}

impl From<cuda::boxing::Boxing> for ProblemData {
    fn from(data: cuda::boxing::Boxing) -> ProblemData {
        ProblemData::CudaBoxing(data)
    }
}

impl From<cuda::captured_object::CapturedObject> for ProblemData {
    fn from(data: cuda::captured_object::CapturedObject) -> ProblemData {
        ProblemData::CudaCapturedObject(data)
    }
}

impl From<cuda::captured_rail_write::CapturedRailWrite> for ProblemData {
    fn from(data: cuda::captured_rail_write::CapturedRailWrite) -> ProblemData {
        ProblemData::CudaCapturedRailWrite(data)
    }
}

impl From<cuda::captured_this::CapturedThis> for ProblemData {
    fn from(data: cuda::captured_this::CapturedThis) -> ProblemData {
        ProblemData::CudaCapturedThis(data)
    }
}

impl From<cuda::captured_var::CapturedVar> for ProblemData {
    fn from(data: cuda::captured_var::CapturedVar) -> ProblemData {
        ProblemData::CudaCapturedVar(data)
    }
}

impl From<cuda::checked_cast::CheckedCast> for ProblemData {
    fn from(data: cuda::checked_cast::CheckedCast) -> ProblemData {
        ProblemData::CudaCheckedCast(data)
    }
}

impl From<cuda::clock_operation::ClockOperation> for ProblemData {
    fn from(data: cuda::clock_operation::ClockOperation) -> ProblemData {
        ProblemData::CudaClockOperation(data)
    }
}

impl From<cuda::clocked_block_async::ClockedBlockAsync> for ProblemData {
    fn from(data: cuda::clocked_block_async::ClockedBlockAsync) -> ProblemData {
        ProblemData::CudaClockedBlockAsync(data)
    }
}

impl From<cuda::clocked_block_finish::ClockedBlockFinish> for ProblemData {
    fn from(data: cuda::clocked_block_finish::ClockedBlockFinish) -> ProblemData {
        ProblemData::CudaClockedBlockFinish(data)
    }
}

impl From<cuda::closure_call::ClosureCall> for ProblemData {
    fn from(data: cuda::closure_call::ClosureCall) -> ProblemData {
        ProblemData::CudaClosureCall(data)
    }
}

impl From<cuda::closure_in_kernel::ClosureInKernel> for ProblemData {
    fn from(data: cuda::closure_in_kernel::ClosureInKernel) -> ProblemData {
        ProblemData::CudaClosureInKernel(data)
    }
}

impl From<cuda::constant_rail_source::ConstantRailSource> for ProblemData {
    fn from(data: cuda::constant_rail_source::ConstantRailSource) -> ProblemData {
        ProblemData::CudaConstantRailSource(data)
    }
}

impl From<cuda::direct_params_without_cuda::DirectParamsWithoutCuda> for ProblemData {
    fn from(data: cuda::direct_params_without_cuda::DirectParamsWithoutCuda) -> ProblemData {
        ProblemData::CudaDirectParamsWithoutCuda(data)
    }
}

impl From<cuda::element_type::ElementType> for ProblemData {
    fn from(data: cuda::element_type::ElementType) -> ProblemData {
        ProblemData::CudaElementType(data)
    }
}

impl From<cuda::empty_kernel::EmptyKernel> for ProblemData {
    fn from(data: cuda::empty_kernel::EmptyKernel) -> ProblemData {
        ProblemData::CudaEmptyKernel(data)
    }
}

impl From<cuda::empty_range::EmptyRange> for ProblemData {
    fn from(data: cuda::empty_range::EmptyRange) -> ProblemData {
        ProblemData::CudaEmptyRange(data)
    }
}

impl From<cuda::extra_statement::ExtraStatement> for ProblemData {
    fn from(data: cuda::extra_statement::ExtraStatement) -> ProblemData {
        ProblemData::CudaExtraStatement(data)
    }
}

impl From<cuda::finish_in_kernel::FinishInKernel> for ProblemData {
    fn from(data: cuda::finish_in_kernel::FinishInKernel) -> ProblemData {
        ProblemData::CudaFinishInKernel(data)
    }
}

impl From<cuda::generic_call::GenericCall> for ProblemData {
    fn from(data: cuda::generic_call::GenericCall) -> ProblemData {
        ProblemData::CudaGenericCall(data)
    }
}

impl From<cuda::global_rail_home::GlobalRailHome> for ProblemData {
    fn from(data: cuda::global_rail_home::GlobalRailHome) -> ProblemData {
        ProblemData::CudaGlobalRailHome(data)
    }
}

impl From<cuda::here_in_kernel::HereInKernel> for ProblemData {
    fn from(data: cuda::here_in_kernel::HereInKernel) -> ProblemData {
        ProblemData::CudaHereInKernel(data)
    }
}

impl From<cuda::instance_call::InstanceCall> for ProblemData {
    fn from(data: cuda::instance_call::InstanceCall) -> ProblemData {
        ProblemData::CudaInstanceCall(data)
    }
}

impl From<cuda::instanceof_in_kernel::InstanceOfInKernel> for ProblemData {
    fn from(data: cuda::instanceof_in_kernel::InstanceOfInKernel) -> ProblemData {
        ProblemData::CudaInstanceofInKernel(data)
    }
}

impl From<cuda::interface_call::InterfaceCall> for ProblemData {
    fn from(data: cuda::interface_call::InterfaceCall) -> ProblemData {
        ProblemData::CudaInterfaceCall(data)
    }
}

impl From<cuda::iterator_in_kernel::IteratorInKernel> for ProblemData {
    fn from(data: cuda::iterator_in_kernel::IteratorInKernel) -> ProblemData {
        ProblemData::CudaIteratorInKernel(data)
    }
}

impl From<cuda::long_range::LongRange> for ProblemData {
    fn from(data: cuda::long_range::LongRange) -> ProblemData {
        ProblemData::CudaLongRange(data)
    }
}

impl From<cuda::lost_update::LostUpdate> for ProblemData {
    fn from(data: cuda::lost_update::LostUpdate) -> ProblemData {
        ProblemData::CudaLostUpdate(data)
    }
}

impl From<cuda::misplaced_annotation::MisplacedAnnotation> for ProblemData {
    fn from(data: cuda::misplaced_annotation::MisplacedAnnotation) -> ProblemData {
        ProblemData::CudaMisplacedAnnotation(data)
    }
}

impl From<cuda::misplaced_shared_memory::MisplacedSharedMemory> for ProblemData {
    fn from(data: cuda::misplaced_shared_memory::MisplacedSharedMemory) -> ProblemData {
        ProblemData::CudaMisplacedSharedMemory(data)
    }
}

impl From<cuda::missing_annotation::MissingAnnotation> for ProblemData {
    fn from(data: cuda::missing_annotation::MissingAnnotation) -> ProblemData {
        ProblemData::CudaMissingAnnotation(data)
    }
}

impl From<cuda::missing_barrier::MissingBarrier> for ProblemData {
    fn from(data: cuda::missing_barrier::MissingBarrier) -> ProblemData {
        ProblemData::CudaMissingBarrier(data)
    }
}

impl From<cuda::missing_block_async::MissingBlockAsync> for ProblemData {
    fn from(data: cuda::missing_block_async::MissingBlockAsync) -> ProblemData {
        ProblemData::CudaMissingBlockAsync(data)
    }
}

impl From<cuda::missing_block_finish::MissingBlockFinish> for ProblemData {
    fn from(data: cuda::missing_block_finish::MissingBlockFinish) -> ProblemData {
        ProblemData::CudaMissingBlockFinish(data)
    }
}

impl From<cuda::missing_block_loop::MissingBlockLoop> for ProblemData {
    fn from(data: cuda::missing_block_loop::MissingBlockLoop) -> ProblemData {
        ProblemData::CudaMissingBlockLoop(data)
    }
}

impl From<cuda::missing_clocked_async::MissingClockedAsync> for ProblemData {
    fn from(data: cuda::missing_clocked_async::MissingClockedAsync) -> ProblemData {
        ProblemData::CudaMissingClockedAsync(data)
    }
}

impl From<cuda::missing_clocked_finish::MissingClockedFinish> for ProblemData {
    fn from(data: cuda::missing_clocked_finish::MissingClockedFinish) -> ProblemData {
        ProblemData::CudaMissingClockedFinish(data)
    }
}

impl From<cuda::missing_thread_async::MissingThreadAsync> for ProblemData {
    fn from(data: cuda::missing_thread_async::MissingThreadAsync) -> ProblemData {
        ProblemData::CudaMissingThreadAsync(data)
    }
}

impl From<cuda::missing_thread_finish::MissingThreadFinish> for ProblemData {
    fn from(data: cuda::missing_thread_finish::MissingThreadFinish) -> ProblemData {
        ProblemData::CudaMissingThreadFinish(data)
    }
}

impl From<cuda::missing_thread_loop::MissingThreadLoop> for ProblemData {
    fn from(data: cuda::missing_thread_loop::MissingThreadLoop) -> ProblemData {
        ProblemData::CudaMissingThreadLoop(data)
    }
}

impl From<cuda::nested_kernel::NestedKernel> for ProblemData {
    fn from(data: cuda::nested_kernel::NestedKernel) -> ProblemData {
        ProblemData::CudaNestedKernel(data)
    }
}

impl From<cuda::nested_loops::NestedLoops> for ProblemData {
    fn from(data: cuda::nested_loops::NestedLoops) -> ProblemData {
        ProblemData::CudaNestedLoops(data)
    }
}

impl From<cuda::not_a_range_loop::NotARangeLoop> for ProblemData {
    fn from(data: cuda::not_a_range_loop::NotARangeLoop) -> ProblemData {
        ProblemData::CudaNotARangeLoop(data)
    }
}

impl From<cuda::object_field::ObjectField> for ProblemData {
    fn from(data: cuda::object_field::ObjectField) -> ProblemData {
        ProblemData::CudaObjectField(data)
    }
}

impl From<cuda::overlapping_blocks::OverlappingBlocks> for ProblemData {
    fn from(data: cuda::overlapping_blocks::OverlappingBlocks) -> ProblemData {
        ProblemData::CudaOverlappingBlocks(data)
    }
}

impl From<cuda::prelude_statement::PreludeStatement> for ProblemData {
    fn from(data: cuda::prelude_statement::PreludeStatement) -> ProblemData {
        ProblemData::CudaPreludeStatement(data)
    }
}

impl From<cuda::prelude_value::PreludeValue> for ProblemData {
    fn from(data: cuda::prelude_value::PreludeValue) -> ProblemData {
        ProblemData::CudaPreludeValue(data)
    }
}

impl From<cuda::print_in_kernel::PrintInKernel> for ProblemData {
    fn from(data: cuda::print_in_kernel::PrintInKernel) -> ProblemData {
        ProblemData::CudaPrintInKernel(data)
    }
}

impl From<cuda::rail_literal::RailLiteral> for ProblemData {
    fn from(data: cuda::rail_literal::RailLiteral) -> ProblemData {
        ProblemData::CudaRailLiteral(data)
    }
}

impl From<cuda::range_not_literal::RangeNotLiteral> for ProblemData {
    fn from(data: cuda::range_not_literal::RangeNotLiteral) -> ProblemData {
        ProblemData::CudaRangeNotLiteral(data)
    }
}

impl From<cuda::range_start::RangeStart> for ProblemData {
    fn from(data: cuda::range_start::RangeStart) -> ProblemData {
        ProblemData::CudaRangeStart(data)
    }
}

impl From<cuda::recursion::Recursion> for ProblemData {
    fn from(data: cuda::recursion::Recursion) -> ProblemData {
        ProblemData::CudaRecursion(data)
    }
}

impl From<cuda::reference_cast::ReferenceCast> for ProblemData {
    fn from(data: cuda::reference_cast::ReferenceCast) -> ProblemData {
        ProblemData::CudaReferenceCast(data)
    }
}

impl From<cuda::reference_comparison::ReferenceComparison> for ProblemData {
    fn from(data: cuda::reference_comparison::ReferenceComparison) -> ProblemData {
        ProblemData::CudaReferenceComparison(data)
    }
}

impl From<cuda::shared_initialiser::SharedInitialiser> for ProblemData {
    fn from(data: cuda::shared_initialiser::SharedInitialiser) -> ProblemData {
        ProblemData::CudaSharedInitialiser(data)
    }
}

impl From<cuda::shared_large::SharedLarge> for ProblemData {
    fn from(data: cuda::shared_large::SharedLarge) -> ProblemData {
        ProblemData::CudaSharedLarge(data)
    }
}

impl From<cuda::shared_statement::SharedStatement> for ProblemData {
    fn from(data: cuda::shared_statement::SharedStatement) -> ProblemData {
        ProblemData::CudaSharedStatement(data)
    }
}

impl From<cuda::shared_too_large::SharedTooLarge> for ProblemData {
    fn from(data: cuda::shared_too_large::SharedTooLarge) -> ProblemData {
        ProblemData::CudaSharedTooLarge(data)
    }
}

impl From<cuda::shared_value::SharedValue> for ProblemData {
    fn from(data: cuda::shared_value::SharedValue) -> ProblemData {
        ProblemData::CudaSharedValue(data)
    }
}

impl From<cuda::stack_size::StackSize> for ProblemData {
    fn from(data: cuda::stack_size::StackSize) -> ProblemData {
        ProblemData::CudaStackSize(data)
    }
}

impl From<cuda::statement_after_blocks::StatementAfterBlocks> for ProblemData {
    fn from(data: cuda::statement_after_blocks::StatementAfterBlocks) -> ProblemData {
        ProblemData::CudaStatementAfterBlocks(data)
    }
}

impl From<cuda::statement_after_threads::StatementAfterThreads> for ProblemData {
    fn from(data: cuda::statement_after_threads::StatementAfterThreads) -> ProblemData {
        ProblemData::CudaStatementAfterThreads(data)
    }
}

impl From<cuda::static_field::StaticField> for ProblemData {
    fn from(data: cuda::static_field::StaticField) -> ProblemData {
        ProblemData::CudaStaticField(data)
    }
}

impl From<cuda::string_in_kernel::StringInKernel> for ProblemData {
    fn from(data: cuda::string_in_kernel::StringInKernel) -> ProblemData {
        ProblemData::CudaStringInKernel(data)
    }
}

impl From<cuda::thread_operation_outside_thread::ThreadOperationOutsideThread> for ProblemData {
    fn from(data: cuda::thread_operation_outside_thread::ThreadOperationOutsideThread) -> ProblemData {
        ProblemData::CudaThreadOperationOutsideThread(data)
    }
}

impl From<cuda::throw_in_kernel::ThrowInKernel> for ProblemData {
    fn from(data: cuda::throw_in_kernel::ThrowInKernel) -> ProblemData {
        ProblemData::CudaThrowInKernel(data)
    }
}

impl From<cuda::too_many_axes::TooManyAxes> for ProblemData {
    fn from(data: cuda::too_many_axes::TooManyAxes) -> ProblemData {
        ProblemData::CudaTooManyAxes(data)
    }
}

impl From<cuda::too_many_threads::TooManyThreads> for ProblemData {
    fn from(data: cuda::too_many_threads::TooManyThreads) -> ProblemData {
        ProblemData::CudaTooManyThreads(data)
    }
}

impl From<cuda::try_in_kernel::TryInKernel> for ProblemData {
    fn from(data: cuda::try_in_kernel::TryInKernel) -> ProblemData {
        ProblemData::CudaTryInKernel(data)
    }
}

impl From<cuda::unannotated_call::UnannotatedCall> for ProblemData {
    fn from(data: cuda::unannotated_call::UnannotatedCall) -> ProblemData {
        ProblemData::CudaUnannotatedCall(data)
    }
}

impl From<cuda::var_in_prelude::VarInPrelude> for ProblemData {
    fn from(data: cuda::var_in_prelude::VarInPrelude) -> ProblemData {
        ProblemData::CudaVarInPrelude(data)
    }
}

impl From<cuda::var_shared_memory::VarSharedMemory> for ProblemData {
    fn from(data: cuda::var_shared_memory::VarSharedMemory) -> ProblemData {
        ProblemData::CudaVarSharedMemory(data)
    }
}

impl From<cuda::virtual_call::VirtualCall> for ProblemData {
    fn from(data: cuda::virtual_call::VirtualCall) -> ProblemData {
        ProblemData::CudaVirtualCall(data)
    }
}

impl From<cuda::when_in_kernel::WhenInKernel> for ProblemData {
    fn from(data: cuda::when_in_kernel::WhenInKernel) -> ProblemData {
        ProblemData::CudaWhenInKernel(data)
    }
}

impl From<flow::call_in_construction::CallInConstruction> for ProblemData {
    fn from(data: flow::call_in_construction::CallInConstruction) -> ProblemData {
        ProblemData::FlowCallInConstruction(data)
    }
}

impl From<flow::captured_var::CapturedVar> for ProblemData {
    fn from(data: flow::captured_var::CapturedVar) -> ProblemData {
        ProblemData::FlowCapturedVar(data)
    }
}

impl From<flow::division_by_zero::DivisionByZero> for ProblemData {
    fn from(data: flow::division_by_zero::DivisionByZero) -> ProblemData {
        ProblemData::FlowDivisionByZero(data)
    }
}

impl From<flow::escaping_this::EscapingThis> for ProblemData {
    fn from(data: flow::escaping_this::EscapingThis) -> ProblemData {
        ProblemData::FlowEscapingThis(data)
    }
}

impl From<flow::field_not_assigned::FieldNotAssigned> for ProblemData {
    fn from(data: flow::field_not_assigned::FieldNotAssigned) -> ProblemData {
        ProblemData::FlowFieldNotAssigned(data)
    }
}

impl From<flow::index_out_of_bounds::IndexOutOfBounds> for ProblemData {
    fn from(data: flow::index_out_of_bounds::IndexOutOfBounds) -> ProblemData {
        ProblemData::FlowIndexOutOfBounds(data)
    }
}

impl From<flow::jump_target::JumpTarget> for ProblemData {
    fn from(data: flow::jump_target::JumpTarget) -> ProblemData {
        ProblemData::FlowJumpTarget(data)
    }
}

impl From<flow::missing_return::MissingReturn> for ProblemData {
    fn from(data: flow::missing_return::MissingReturn) -> ProblemData {
        ProblemData::FlowMissingReturn(data)
    }
}

impl From<flow::negative_size::NegativeSize> for ProblemData {
    fn from(data: flow::negative_size::NegativeSize) -> ProblemData {
        ProblemData::FlowNegativeSize(data)
    }
}

impl From<flow::no_this_access::NoThisAccess> for ProblemData {
    fn from(data: flow::no_this_access::NoThisAccess) -> ProblemData {
        ProblemData::FlowNoThisAccess(data)
    }
}

impl From<flow::non_escaping_method::NonEscapingMethod> for ProblemData {
    fn from(data: flow::non_escaping_method::NonEscapingMethod) -> ProblemData {
        ProblemData::FlowNonEscapingMethod(data)
    }
}

impl From<flow::null_dereference::NullDereference> for ProblemData {
    fn from(data: flow::null_dereference::NullDereference) -> ProblemData {
        ProblemData::FlowNullDereference(data)
    }
}

impl From<flow::property_call::PropertyCall> for ProblemData {
    fn from(data: flow::property_call::PropertyCall) -> ProblemData {
        ProblemData::FlowPropertyCall(data)
    }
}

impl From<flow::this_too_early::ThisTooEarly> for ProblemData {
    fn from(data: flow::this_too_early::ThisTooEarly) -> ProblemData {
        ProblemData::FlowThisTooEarly(data)
    }
}

impl From<flow::uncaught_exception::UncaughtException> for ProblemData {
    fn from(data: flow::uncaught_exception::UncaughtException) -> ProblemData {
        ProblemData::FlowUncaughtException(data)
    }
}

impl From<flow::unreachable::Unreachable> for ProblemData {
    fn from(data: flow::unreachable::Unreachable) -> ProblemData {
        ProblemData::FlowUnreachable(data)
    }
}

impl From<flow::unreachable_catch::UnreachableCatch> for ProblemData {
    fn from(data: flow::unreachable_catch::UnreachableCatch) -> ProblemData {
        ProblemData::FlowUnreachableCatch(data)
    }
}

impl From<flow::unused_value::UnusedValue> for ProblemData {
    fn from(data: flow::unused_value::UnusedValue) -> ProblemData {
        ProblemData::FlowUnusedValue(data)
    }
}

impl From<flow::use_before_assignment::UseBeforeAssignment> for ProblemData {
    fn from(data: flow::use_before_assignment::UseBeforeAssignment) -> ProblemData {
        ProblemData::FlowUseBeforeAssignment(data)
    }
}

impl From<flow::val_reassigned::ValReassigned> for ProblemData {
    fn from(data: flow::val_reassigned::ValReassigned) -> ProblemData {
        ProblemData::FlowValReassigned(data)
    }
}

impl From<hoist::assignment::Assignment> for ProblemData {
    fn from(data: hoist::assignment::Assignment) -> ProblemData {
        ProblemData::HoistAssignment(data)
    }
}

impl From<hoist::call::Call> for ProblemData {
    fn from(data: hoist::call::Call) -> ProblemData {
        ProblemData::HoistCall(data)
    }
}

impl From<hoist::expression::Expression> for ProblemData {
    fn from(data: hoist::expression::Expression) -> ProblemData {
        ProblemData::HoistExpression(data)
    }
}

impl From<hoist::field_access::FieldAccess> for ProblemData {
    fn from(data: hoist::field_access::FieldAccess) -> ProblemData {
        ProblemData::HoistFieldAccess(data)
    }
}

impl From<hoist::here::Here> for ProblemData {
    fn from(data: hoist::here::Here) -> ProblemData {
        ProblemData::HoistHere(data)
    }
}

impl From<hoist::inner_variable::InnerVariable> for ProblemData {
    fn from(data: hoist::inner_variable::InnerVariable) -> ProblemData {
        ProblemData::HoistInnerVariable(data)
    }
}

impl From<hoist::mutable_variable::MutableVariable> for ProblemData {
    fn from(data: hoist::mutable_variable::MutableVariable) -> ProblemData {
        ProblemData::HoistMutableVariable(data)
    }
}

impl From<name::duplicate_local::DuplicateLocal> for ProblemData {
    fn from(data: name::duplicate_local::DuplicateLocal) -> ProblemData {
        ProblemData::NameDuplicateLocal(data)
    }
}

impl From<name::not_visible::NotVisible> for ProblemData {
    fn from(data: name::not_visible::NotVisible) -> ProblemData {
        ProblemData::NameNotVisible(data)
    }
}

impl From<name::unknown_type::UnknownAnnotation> for ProblemData {
    fn from(data: name::unknown_type::UnknownAnnotation) -> ProblemData {
        ProblemData::NameUnknownType(data)
    }
}

impl From<name::unresolved::Unresolved> for ProblemData {
    fn from(data: name::unresolved::Unresolved) -> ProblemData {
        ProblemData::NameUnresolved(data)
    }
}

impl From<place::captured_var::CapturedVar> for ProblemData {
    fn from(data: place::captured_var::CapturedVar) -> ProblemData {
        ProblemData::PlaceCapturedVar(data)
    }
}

impl From<place::lost_write::LostWrite> for ProblemData {
    fn from(data: place::lost_write::LostWrite) -> ProblemData {
        ProblemData::PlaceLostWrite(data)
    }
}

impl From<place::remote_access::RemoteAccess> for ProblemData {
    fn from(data: place::remote_access::RemoteAccess) -> ProblemData {
        ProblemData::PlaceRemoteAccess(data)
    }
}

impl From<slots::blocking_launch::BlockingLaunch> for ProblemData {
    fn from(data: slots::blocking_launch::BlockingLaunch) -> ProblemData {
        ProblemData::SlotsBlockingLaunch(data)
    }
}

impl From<slots::buffer_in_use::BufferInUse> for ProblemData {
    fn from(data: slots::buffer_in_use::BufferInUse) -> ProblemData {
        ProblemData::SlotsBufferInUse(data)
    }
}

impl From<slots::divergent_argument::DivergentArgument> for ProblemData {
    fn from(data: slots::divergent_argument::DivergentArgument) -> ProblemData {
        ProblemData::SlotsDivergentArgument(data)
    }
}

impl From<slots::divergent_call::DivergentCall> for ProblemData {
    fn from(data: slots::divergent_call::DivergentCall) -> ProblemData {
        ProblemData::SlotsDivergentCall(data)
    }
}

impl From<slots::foreign_slot::ForeignSlot> for ProblemData {
    fn from(data: slots::foreign_slot::ForeignSlot) -> ProblemData {
        ProblemData::SlotsForeignSlot(data)
    }
}

impl From<slots::short_receive::ShortReceive> for ProblemData {
    fn from(data: slots::short_receive::ShortReceive) -> ProblemData {
        ProblemData::SlotsShortReceive(data)
    }
}

impl From<slots::unequal_roots::UnequalRoots> for ProblemData {
    fn from(data: slots::unequal_roots::UnequalRoots) -> ProblemData {
        ProblemData::SlotsUnequalRoots(data)
    }
}

impl From<slots::unreached_collective::UnreachedCollective> for ProblemData {
    fn from(data: slots::unreached_collective::UnreachedCollective) -> ProblemData {
        ProblemData::SlotsUnreachedCollective(data)
    }
}

impl From<r#type::abstract_instantiation::AbstractInstantiation> for ProblemData {
    fn from(data: r#type::abstract_instantiation::AbstractInstantiation) -> ProblemData {
        ProblemData::TypeAbstractInstantiation(data)
    }
}

impl From<r#type::ambiguous_call::AmbiguousCall> for ProblemData {
    fn from(data: r#type::ambiguous_call::AmbiguousCall) -> ProblemData {
        ProblemData::TypeAmbiguousCall(data)
    }
}

impl From<r#type::bad_constructor_result::BadConstructorResult> for ProblemData {
    fn from(data: r#type::bad_constructor_result::BadConstructorResult) -> ProblemData {
        ProblemData::TypeBadConstructorResult(data)
    }
}

impl From<r#type::bad_conversion::BadConversion> for ProblemData {
    fn from(data: r#type::bad_conversion::BadConversion) -> ProblemData {
        ProblemData::TypeBadConversion(data)
    }
}

impl From<r#type::bad_override::BadOverride> for ProblemData {
    fn from(data: r#type::bad_override::BadOverride) -> ProblemData {
        ProblemData::TypeBadOverride(data)
    }
}

impl From<r#type::constructor_call::ConstructorCall> for ProblemData {
    fn from(data: r#type::constructor_call::ConstructorCall) -> ProblemData {
        ProblemData::TypeConstructorCall(data)
    }
}

impl From<r#type::duplicate_case::DuplicateCase> for ProblemData {
    fn from(data: r#type::duplicate_case::DuplicateCase) -> ProblemData {
        ProblemData::TypeDuplicateCase(data)
    }
}

impl From<r#type::duplicate_member::DuplicateMember> for ProblemData {
    fn from(data: r#type::duplicate_member::DuplicateMember) -> ProblemData {
        ProblemData::TypeDuplicateMember(data)
    }
}

impl From<r#type::endless_property::EndlessProperty> for ProblemData {
    fn from(data: r#type::endless_property::EndlessProperty) -> ProblemData {
        ProblemData::TypeEndlessProperty(data)
    }
}

impl From<r#type::endless_struct::EndlessStruct> for ProblemData {
    fn from(data: r#type::endless_struct::EndlessStruct) -> ProblemData {
        ProblemData::TypeEndlessStruct(data)
    }
}

impl From<r#type::generic_exception::GenericException> for ProblemData {
    fn from(data: r#type::generic_exception::GenericException) -> ProblemData {
        ProblemData::TypeGenericException(data)
    }
}

impl From<r#type::generic_property::GenericProperty> for ProblemData {
    fn from(data: r#type::generic_property::GenericProperty) -> ProblemData {
        ProblemData::TypeGenericProperty(data)
    }
}

impl From<r#type::impossible_cast::ImpossibleCast> for ProblemData {
    fn from(data: r#type::impossible_cast::ImpossibleCast) -> ProblemData {
        ProblemData::TypeImpossibleCast(data)
    }
}

impl From<r#type::incomparable::Incomparable> for ProblemData {
    fn from(data: r#type::incomparable::Incomparable) -> ProblemData {
        ProblemData::TypeIncomparable(data)
    }
}

impl From<r#type::literal_range::LiteralRange> for ProblemData {
    fn from(data: r#type::literal_range::LiteralRange) -> ProblemData {
        ProblemData::TypeLiteralRange(data)
    }
}

impl From<r#type::mismatch::Mismatch> for ProblemData {
    fn from(data: r#type::mismatch::Mismatch) -> ProblemData {
        ProblemData::TypeMismatch(data)
    }
}

impl From<r#type::misplaced_annotation::MisplacedAnnotation> for ProblemData {
    fn from(data: r#type::misplaced_annotation::MisplacedAnnotation) -> ProblemData {
        ProblemData::TypeMisplacedAnnotation(data)
    }
}

impl From<r#type::misplaced_class::MisplacedClass> for ProblemData {
    fn from(data: r#type::misplaced_class::MisplacedClass) -> ProblemData {
        ProblemData::TypeMisplacedClass(data)
    }
}

impl From<r#type::missing_type::MissingType> for ProblemData {
    fn from(data: r#type::missing_type::MissingType) -> ProblemData {
        ProblemData::TypeMissingType(data)
    }
}

impl From<r#type::narrowed_assignment::NarrowedAssignment> for ProblemData {
    fn from(data: r#type::narrowed_assignment::NarrowedAssignment) -> ProblemData {
        ProblemData::TypeNarrowedAssignment(data)
    }
}

impl From<r#type::no_body::NoBody> for ProblemData {
    fn from(data: r#type::no_body::NoBody) -> ProblemData {
        ProblemData::TypeNoBody(data)
    }
}

impl From<r#type::no_matching_call::NoMatchingCall> for ProblemData {
    fn from(data: r#type::no_matching_call::NoMatchingCall) -> ProblemData {
        ProblemData::TypeNoMatchingCall(data)
    }
}

impl From<r#type::no_operator::NoOperator> for ProblemData {
    fn from(data: r#type::no_operator::NoOperator) -> ProblemData {
        ProblemData::TypeNoOperator(data)
    }
}

impl From<r#type::no_outer_object::NoOuterObject> for ProblemData {
    fn from(data: r#type::no_outer_object::NoOuterObject) -> ProblemData {
        ProblemData::TypeNoOuterObject(data)
    }
}

impl From<r#type::not_a_value::NotAValue> for ProblemData {
    fn from(data: r#type::not_a_value::NotAValue) -> ProblemData {
        ProblemData::TypeNotAValue(data)
    }
}

impl From<r#type::not_assignable::NotAssignable> for ProblemData {
    fn from(data: r#type::not_assignable::NotAssignable) -> ProblemData {
        ProblemData::TypeNotAssignable(data)
    }
}

impl From<r#type::not_callable::NotCallable> for ProblemData {
    fn from(data: r#type::not_callable::NotCallable) -> ProblemData {
        ProblemData::TypeNotCallable(data)
    }
}

impl From<r#type::not_constant::NotConstant> for ProblemData {
    fn from(data: r#type::not_constant::NotConstant) -> ProblemData {
        ProblemData::TypeNotConstant(data)
    }
}

impl From<r#type::not_enclosing::NotEnclosing> for ProblemData {
    fn from(data: r#type::not_enclosing::NotEnclosing) -> ProblemData {
        ProblemData::TypeNotEnclosing(data)
    }
}

impl From<r#type::not_implemented::NotImplemented> for ProblemData {
    fn from(data: r#type::not_implemented::NotImplemented) -> ProblemData {
        ProblemData::TypeNotImplemented(data)
    }
}

impl From<r#type::not_iterable::NotIterable> for ProblemData {
    fn from(data: r#type::not_iterable::NotIterable) -> ProblemData {
        ProblemData::TypeNotIterable(data)
    }
}

impl From<r#type::recursive_result::RecursiveResult> for ProblemData {
    fn from(data: r#type::recursive_result::RecursiveResult) -> ProblemData {
        ProblemData::TypeRecursiveResult(data)
    }
}

impl From<r#type::removed::Removed> for ProblemData {
    fn from(data: r#type::removed::Removed) -> ProblemData {
        ProblemData::TypeRemoved(data)
    }
}

impl From<r#type::static_context::StaticContext> for ProblemData {
    fn from(data: r#type::static_context::StaticContext) -> ProblemData {
        ProblemData::TypeStaticContext(data)
    }
}

impl From<r#type::static_var::StaticVar> for ProblemData {
    fn from(data: r#type::static_var::StaticVar) -> ProblemData {
        ProblemData::TypeStaticVar(data)
    }
}

impl From<r#type::struct_var_field::StructVarField> for ProblemData {
    fn from(data: r#type::struct_var_field::StructVarField) -> ProblemData {
        ProblemData::TypeStructVarField(data)
    }
}

impl From<r#type::text_identity::TextIdentity> for ProblemData {
    fn from(data: r#type::text_identity::TextIdentity) -> ProblemData {
        ProblemData::TypeTextIdentity(data)
    }
}

impl From<r#type::transient_without_zero::TransientWithoutZero> for ProblemData {
    fn from(data: r#type::transient_without_zero::TransientWithoutZero) -> ProblemData {
        ProblemData::TypeTransientWithoutZero(data)
    }
}

impl From<r#type::void_value::VoidValue> for ProblemData {
    fn from(data: r#type::void_value::VoidValue) -> ProblemData {
        ProblemData::TypeVoidValue(data)
    }
}

impl From<r#type::wrong_type_arguments::WrongTypeArguments> for ProblemData {
    fn from(data: r#type::wrong_type_arguments::WrongTypeArguments) -> ProblemData {
        ProblemData::TypeWrongTypeArguments(data)
    }
}
