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

macro_rules! problem_enum {
    ($($(#[$documentation:meta])* $variant:ident($data:path),)*) => {
        /// The data of a problem of any rule.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum ProblemData {
            $($(#[$documentation])* $variant($data),)*
        }

        impl ProblemData {
            /// The rule that is broken, and its words.
            pub fn data(&self) -> &dyn Render {
                match self {
                    $(ProblemData::$variant(data) => data,)*
                }
            }
        }

        $(impl From<$data> for ProblemData {
            fn from(data: $data) -> ProblemData {
                ProblemData::$variant(data)
            }
        })*
    };
}

problem_enum! {
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
