//! WHERE, SET and INHERIT over one batch, beside the Arrow kernels called by hand for the same work.

#![allow(
    missing_docs,
    reason = "criterion's macros make public functions without documentation"
)]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot be set up must stop")]

use std::hint::black_box;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, Scalar};
use arrow::compute::and_kleene;
use arrow::compute::kernels::{cmp, numeric};
use arrow::datatypes::{DataType as ArrowType, Field as ArrowField, Schema as ArrowSchema};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nervix_clock::{DomainTime, Snapshot};
use nervix_expr::{Constructor, Frame, Predicate};
use nspl_model::record_error::Operation;
use nspl_model::{
    Assignment, BinaryOp, Construction, DataType, Expr, ExprKind, Field, FieldRef, Literal, Schema, Scope,
    Step,
};

/// The allocator of the executable: what a column costs is also what its memory costs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: usize = 65_536;

fn source() -> RecordBatch {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(
        (0..ROWS as i64).map(|n| n * 7919 % 1_000_003),
    ));
    let x: ArrayRef = Arc::new(Float64Array::from_iter_values(
        (0..ROWS).map(|n| n as f64 / ROWS as f64),
    ));
    let fields = vec![
        ArrowField::new("n", ArrowType::Int64, false),
        ArrowField::new("x", ArrowType::Float64, false),
    ];
    RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), vec![n, x]).unwrap()
}

fn node(data_type: DataType, kind: ExprKind) -> Expr {
    Expr {
        data_type,
        nullable: false,
        sensitive: false,
        kind,
    }
}

fn field(index: usize, data_type: DataType) -> Expr {
    node(
        data_type,
        ExprKind::Field(FieldRef {
            scope: Scope::Input,
            name: "f".into(),
            index,
        }),
    )
}

fn int(value: i64) -> Expr {
    node(DataType::I64, ExprKind::Literal(Literal::I64(value)))
}

fn binary(op: BinaryOp, data_type: DataType, left: Expr, right: Expr) -> Expr {
    node(
        data_type,
        ExprKind::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
        },
    )
}

fn target() -> Schema {
    let field = |name: &str, data_type| Field {
        name: name.into(),
        data_type,
        optional: false,
        sensitive: false,
    };
    Schema {
        name: "out".into(),
        fields: vec![field("n", DataType::I64), field("x", DataType::F64)],
    }
}

fn where_(c: &mut Criterion) {
    let (batch, snapshot) = (
        source(),
        Snapshot {
            domain_time: DomainTime(0),
            seed: [0; 32],
        },
    );
    let half = node(DataType::F64, ExprKind::Literal(Literal::F64(0.5)));
    let large = binary(
        BinaryOp::Greater,
        DataType::Bool,
        field(0, DataType::I64),
        int(500_000),
    );
    let early = binary(BinaryOp::Less, DataType::Bool, field(1, DataType::F64), half);
    let both = binary(BinaryOp::And, DataType::Bool, large, early);
    let predicate = Predicate::compile(&both, Operation::Filter).unwrap();
    let mut group = c.benchmark_group("where");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("nervix", |b| {
        b.iter(|| predicate.keep(black_box(&Frame::of_input(&batch, &snapshot))))
    });
    let (limit, half) = (
        Scalar::new(Int64Array::from(vec![500_000])),
        Scalar::new(Float64Array::from(vec![0.5])),
    );
    group.bench_function("kernels", |b| {
        b.iter(|| {
            let large = cmp::gt(black_box(batch.column(0)), &limit).unwrap();
            let early = cmp::lt(black_box(batch.column(1)), &half).unwrap();
            and_kleene(&large, &early).unwrap()
        });
    });
    group.finish();
}

fn set(c: &mut Criterion) {
    let (batch, snapshot) = (
        source(),
        Snapshot {
            domain_time: DomainTime(0),
            seed: [0; 32],
        },
    );
    let tripled = binary(BinaryOp::Multiply, DataType::I64, field(0, DataType::I64), int(3));
    let sum = binary(BinaryOp::Add, DataType::I64, tripled, field(0, DataType::I64));
    let steps = vec![
        Step::Set(Assignment { index: 0, expr: sum }),
        Step::Inherit { output: 1, input: 1 },
    ];
    let constructor = Constructor::compile(&Construction { steps, filter: None }, &target()).unwrap();
    let mut group = c.benchmark_group("set");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("nervix", |b| {
        b.iter(|| {
            constructor
                .construct(black_box(&Frame::of_input(&batch, &snapshot)))
                .unwrap()
        });
    });
    let three = Scalar::new(Int64Array::from(vec![3]));
    group.bench_function("kernels", |b| {
        b.iter(|| {
            let tripled = numeric::mul(black_box(batch.column(0)), &three).unwrap();
            let sum = numeric::add(&tripled, black_box(batch.column(0))).unwrap();
            RecordBatch::try_new(batch.schema(), vec![sum, batch.column(1).clone()]).unwrap()
        });
    });
    group.finish();
}

fn inherit(c: &mut Criterion) {
    let (batch, snapshot) = (
        source(),
        Snapshot {
            domain_time: DomainTime(0),
            seed: [0; 32],
        },
    );
    let steps = vec![
        Step::Inherit { output: 0, input: 0 },
        Step::Inherit { output: 1, input: 1 },
    ];
    let constructor = Constructor::compile(&Construction { steps, filter: None }, &target()).unwrap();
    let mut group = c.benchmark_group("inherit");
    group.bench_function("nervix", |b| {
        b.iter(|| {
            constructor
                .construct(black_box(&Frame::of_input(&batch, &snapshot)))
                .unwrap()
        });
    });
    group.bench_function("kernels", |b| {
        b.iter(|| RecordBatch::try_new(batch.schema(), black_box(batch.columns()).to_vec()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, where_, set, inherit);
criterion_main!(benches);
